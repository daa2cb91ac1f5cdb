# The list by which this version is measured, on an empty home.

gsv proc list
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -
#! gsv: created a home at /tmp/x/home

# Spawning prints the new pid and nothing else.
PID=$(gsv proc spawn --label "docs audit" --prompt "help"); echo "$PID"
#> task:aaaaaa

gsv chat "How do I stop a process?"
#> Stop a process
#> …
#>     gsv proc stop task:abc123
#> …
#> manual: processes
#> …
#! gsv: no model configured; answers come from the built-in manual

gsv proc send --pid $PID "again"
#> 00000000-0000-7000-8000-000000000001
gsv wait $PID; echo $?
#> 0

gsv proc history --pid $PID --limit 5 --json | tail -1
#> {"id":4,"runId":"00000000-0000-7000-8000-000000000001","timestamp":…,"role":"assistant","content":{"text":"…"}}

gsv proc reset --pid $PID
#> reset task:aaaaaa (archived 4 messages to /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000002.jsonl.gz)
gzip -t $GSV_HOME/objects/var/sessions/sam/$PID/*.jsonl.gz
zcat $GSV_HOME/objects/var/sessions/sam/$PID/*.jsonl.gz | head -1
#> {"id":1,"conversation_id":"default","generation":1,"role":"user","content":"help","run_id":"…","origin":{"kind":"client",…},"ts":…}
gsv proc history --pid $PID
#! (no messages)

gsv proc kill $PID
#> killed task:aaaaaa (not archived)
gsv proc list
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -

gsv proc kill init:1000
#! gsv: init:1000 is an init process and cannot be killed
#!   to archive its history and start over: gsv proc reset --pid init:1000
#= 1
gsv proc list --uid 0
#! gsv: only root may list the processes of uid 0
#!   to list your processes: gsv proc list
#= 1
gsv proc history --pid nope
#! gsv: no such process: nope
#!   gsv ps lists your processes
#= 3
