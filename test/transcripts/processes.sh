# How to manage processes, every command of the guide in its order.

gsv proc list
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -
#! gsv: created a home at /tmp/x/home
gsv proc list --uid 1000
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -

gsv chat "Summarize my current workspace."
#> This process works in /home/sam, which is empty.
#! gsv: no model configured; answers come from the built-in manual
#! [tool] Read {"path":"."}
#! [tool] Shell {"command":"ls -lt"}

# A pid that nobody has, and one that there is.
gsv chat --pid task:abc123 "Continue the implementation."
#! gsv: no such process: task:abc123
#!   gsv ps lists your processes
#= 3
TASK=$(gsv proc spawn --label "a task"); echo "$TASK"
#> task:aaaaaa
gsv chat --pid $TASK "Continue the implementation."
#> …
#! gsv: no model configured; answers come from the built-in manual
gsv proc send --pid $TASK "Run the checks now."
#> 00000000-0000-7000-8000-000000000001
gsv wait $TASK

AUDIT=$(gsv proc spawn --label "docs audit" --prompt "Review the how-to docs for stale commands."); echo "$AUDIT"
#> task:bbbbbb
gsv wait $AUDIT
gsv proc spawn --parent init:1000 --label "release notes"
#> task:cccccc

gsv proc history --limit 30
#> [2026-01-02T03:04:05.678Z] user: Summarize my current workspace.
#> [2026-01-02T03:04:05.678Z] assistant: …
#> …
gsv proc history --pid $AUDIT --limit 50 --offset 0
#> [2026-01-02T03:04:05.678Z] user: Review the how-to docs for stale commands.
#> [2026-01-02T03:04:05.678Z] assistant: …
#> …

# What the tasks reported to their parent waits there unread, and is put away with the rest.
gsv proc reset
#> reset init:1000 (archived 5 messages to /var/sessions/sam/init:1000/00000000-0000-7000-8000-000000000002.jsonl.gz)
gsv proc reset --pid $TASK
#> reset task:aaaaaa (archived 4 messages to /var/sessions/sam/task:aaaaaa/00000000-0000-7000-8000-000000000003.jsonl.gz)

gsv proc kill $TASK
#> killed task:aaaaaa (not archived)
gsv proc kill $AUDIT --no-archive
#> killed task:bbbbbb (not archived)
ls $GSV_HOME/objects/var/sessions/sam
#> init:1000
#> task:aaaaaa
gsv proc list
#> PID … STATE … LABEL … OWNER … PROFILE … QUEUE … SINCE … CWD … WORKSPACE … WAITS FOR
#> init:1000 … idle … init (sam) … sam … init … 0 … /home/sam … -
#> task:cccccc … idle … release notes … sam … task … 0 … /home/sam … -
