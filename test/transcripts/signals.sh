# Stop, go on, end.

PID=$(gsv spawn --label worker 2>/dev/null); echo "$PID"
#> task:aaaaaa
gsv kill -0 $PID
gsv kill -STOP $PID
#> task:aaaaaa stopped
gsv send --pid $PID "hello"
#> 00000000-0000-7000-8000-000000000001
gsv ps
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -
#> task:aaaaaa … stopped … worker … sam … task … 1 … /home/sam … stopped; to resume: gsv proc resume task:aaaaaa
gsv chat --pid $PID "are you there?"
#! gsv: queued: task:aaaaaa is busy or on hold
#! gsv: run is on hold: stopped; to resume: gsv proc resume task:aaaaaa (gsv wait --wait task:aaaaaa waits for it)
#= 5

# Stopped it stays, whatever kernel there is.
gsv kernel restart
#> kernel … started, … left
gsv wait --timeout 0.2 $PID
#! gsv: still running after 0.2 s
#= 124
gsv proc resume $PID
#> task:aaaaaa queued
gsv wait $PID
gsv proc stop $PID
#> task:aaaaaa stopped
gsv kill -CONT $PID
#> task:aaaaaa idle
gsv proc abort $PID
#> nothing to abort: task:aaaaaa is not running

gsv kill $PID
#> killed task:aaaaaa (archived 4 messages to /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000002.jsonl.gz)
gsv kill -0 $PID
#! gsv: task:aaaaaa was killed at 2026-01-02T03:04:05.678Z
#!   its history: /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000002.jsonl.gz
#!   gsv archive show …
#= 3
gsv kill -9 init:1000 $PID
#! gsv: init:1000 is an init process and cannot be killed
#!   to archive its history and start over: gsv proc reset --pid init:1000
#! gsv: task:aaaaaa was killed at 2026-01-02T03:04:05.678Z
#!   its history: /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000002.jsonl.gz
#!   gsv archive show …
#= 3

gsv archive list
#> ID … PID … WHY … MESSAGES … BYTES … WHEN … PATH
#> 00000000-0000-7000-8000-000000000002 … task:aaaaaa … kill … 4 … /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000002.jsonl.gz
gsv archive verify $(gsv archive list --json | sed 's/.*"id":"\([0-9a-f-]*\)".*/\1/')
#> ok /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000002.jsonl.gz (4 records, sha256 …)

gsv kernel stop
#> kernel … stopped
gsv kernel stop
#> no kernel was running
gsv ps
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -
