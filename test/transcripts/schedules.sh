# Schedules: one that fails every second is seen everywhere, and what stands in the list, the history, the log and the notices is the same.

gsv every 1s --exec 'echo no disk >&2; exit 3' --name disk --pause-after 0 | cut -d, -f1
#> disk: every 1s
#! gsv: created a home at /tmp/x/home
gsv events process.schedule --limit 1 --jq '"\(.schedule) \(.state): \(.text)"'
#> disk error: Schedule disk: error: exit status 3: no disk
gsv sched pause disk
#> disk: paused
gsv sched list --jq '"\(.name) \(.enabled) \(.last.state) \(.last.error)"'
#> disk false error exit status 3: no disk
gsv sched history disk --limit 1 --jq '"\(.state) \(.error) \(.result.exit)"'
#> error exit status 3: no disk 3
gsv cat /var/log/gsv/scheduler | tail -n 1
#> {…"schedule":"disk","state":"error","error":"exit status 3: no disk"…}
gsv notify list --jq '"\(.level) \(.title): \(.body)"'
#> error schedule disk failed: exit status 3: no disk
gsv cat /proc/self/notifications
#> {…"title":"schedule disk failed"…}

# Three failures in a row pause it, with the reason.
gsv sched edit disk --pause-after 3 | cut -d, -f1
#> disk: paused
gsv sched resume disk | cut -d, -f1
#> disk: every 1s
until gsv sched show disk | grep -q '^Paused: '; do :; done
gsv sched show disk | grep -E '^(Paused|Next):'
#> Paused: 3 failures in a row; the last: exit status 3: no disk
#> Next: -
gsv sched due --jq 'select(.kind == "schedule")'
gsv sched rm disk
#> removed disk

# Bad input: one line, and nothing is added.
gsv sched add @daily "hello" --tz Mars/Olympus
#! gsv: unknown time zone: "Mars/Olympus"
#!   for example: Europe/Berlin, America/New_York, UTC
#= 2
gsv at 2026-02-30 "hello"
#! gsv: no such date: 2026-02-30
#!   as 17:30, tomorrow 9am, friday noon, in 20 minutes, 2026-12-01 08:00
#= 2
gsv every 500ms "hello"
#! gsv: interval below one second: every "500ms"
#!   the shortest is: every 1s
#= 2
gsv at 2020-01-01 "hello"
#! gsv: "2020-01-01" is in the past: …
#= 2
gsv sched add "$(printf '1,%.0s' $(seq 5000))1 * * * *" "hello"
#! gsv: the cron expression has 10009 characters, the limit is 500
#= 2
gsv sched add @daily "hello" --pid task:zzzzzz
#! gsv: no such process: task:…
#!   gsv ps lists your processes
#= 3
gsv sched list
#! (no schedules; to add one: gsv man schedules)
