# Sessions: what stands in their manual, typed as it stands there.

printf '%s\n' '{"text":"answer {{n}}","repeat":100}' > $HOME/s.jsonl
export GSV_MODEL=script:$HOME/s.jsonl
for boat in red green blue; do gsv chat "a $boat boat"; done 2>/dev/null
#> answer 1
#> answer 2
#> answer 3
gsv session list
#> Sessions (1):
#>   agent:main:cli:dm:main (init (sam)) - last active: … - idle
gsv session list --limit 10
#> Sessions (1):
#>   agent:main:cli:dm:main (init (sam)) - last active: … - idle
gsv session get agent:main:cli:dm:main
#> Session: agent:main:cli:dm:main
#> Session ID: …
#> Process: init:1000
#> State: idle
#> Messages: 6
#> Tokens: …
#> Reset policy: manual
#> Label: init (sam)
#> Previous sessions: 0
#> Created: …
gsv session preview agent:main:cli:dm:main
#> Session: agent:main:cli:dm:main (6 messages total)
#> USER: a red boat
#> ASSISTANT: answer 1
#> USER: a green boat
#> ASSISTANT: answer 2
#> USER: a blue boat
#> ASSISTANT: answer 3
gsv session preview agent:main:cli:dm:main --limit 5
#> Session: agent:main:cli:dm:main (6 messages total)
#> ASSISTANT: answer 1
#> …
#> ASSISTANT: answer 3
gsv session stats agent:main:cli:dm:main
#> Session: agent:main:cli:dm:main
#> Messages: 6
#> Input tokens: …
#> Output tokens: …
#> Total tokens: …
#> Cost: …
#> Uptime: 0h 0m
gsv session history agent:main:cli:dm:main
#> Session: agent:main:cli:dm:main
#> Current session: … (since …, 6 messages)
#> No previous sessions

gsv session compact agent:main:cli:dm:main --keep 20
#> Session 'agent:main:cli:dm:main': no compaction needed (6 messages)
gsv session compact agent:main:cli:dm:main --keep 2
#> Compacted session 'agent:main:cli:dm:main'
#> Trimmed 4 messages, kept 2
#> Archived to: /proc/init:1000/segments/1-4
gsv config set compaction.enabled true
#> compaction.enabled = true
gsv config set compaction.reserveTokens 20000
#> compaction.reserveTokens = 20000
gsv config set compaction.keepRecentTokens 20000
#> compaction.keepRecentTokens = 20000

gsv session reset agent:main:cli:dm:main
#> Reset session 'agent:main:cli:dm:main'
#> Old session: …
#> New session: …
#> Archived 7 messages (… tokens)
#> Archived to: /agents/main/sessions/….jsonl.gz
gsv chat "a yellow boat" && gsv session reset | tail -1 > $HOME/archived; gsv cat $(cut -d' ' -f3 $HOME/archived) | gunzip | wc -l
#> answer 1
#> 2

gsv config set session.defaultResetPolicy.mode "daily"
#> session.defaultResetPolicy.mode = daily
gsv config set session.defaultResetPolicy.atHour 4
#> session.defaultResetPolicy.atHour = 4
gsv session set agent:main:cli:dm:main resetPolicy.mode "idle"
#> Updated resetPolicy.mode = idle for session 'agent:main:cli:dm:main'
gsv session set agent:main:cli:dm:main resetPolicy.idleMinutes 30
#> Updated resetPolicy.idleMinutes = 30 for session 'agent:main:cli:dm:main'
gsv session set agent:main:cli:dm:main model.provider openai
#> Updated model.provider = openai for session 'agent:main:cli:dm:main'
gsv session set agent:main:cli:dm:main model.id gpt-4.1
#> Updated model.id = gpt-4.1 for session 'agent:main:cli:dm:main'
gsv session get | grep -e Settings -e policy; gsv model init:1000
#> Settings: {"model":{"provider":"openai","id":"gpt-4.1"}}
#> Reset policy: idle (after 30 min)
#> openai/gpt-4.1
gsv session set main model.provider "" && gsv session set main thinking high
#> Updated model.provider = (not set) for session 'agent:main:cli:dm:main'
#! gsv: no such path: thinking
#!   did you mean thinkingLevel
#! …
#= 2
gsv config set session.dmScope "per-peer"
#> session.dmScope = per-peer

# Other addresses, other processes.
gsv session get agent:main:cli:dm:alice
#! gsv: no such session: agent:main:cli:dm:alice
#!   to list yours: gsv session list; to start one: gsv chat --session KEY
#= 3
gsv chat --session agent:main:cli:dm:alice "a boat for alice"
#> answer 1
gsv session get agent:main:cli:dm:alice | grep -e Process -e Label -e policy
#> Process: task:aaaaaa
#> Reset policy: daily (at 4:00)
#> Label: alice
gsv session route 4711 --channel telegram && gsv session route alice
#> agent:main:cli:dm:4711
#> agent:main:cli:dm:alice task:aaaaaa
gsv chat --session agent:main:cli:dm:alice "/reset"
#> reset task:aaaaaa: archived 2 messages to /var/sessions/sam/task:aaaaaa/….jsonl.gz
gsv session history agent:main:cli:dm:alice | sed -n 3p
#> Previous sessions (1):
gsv session restore $(gsv session history agent:main:cli:dm:alice --json | sed 's/.*"previous":\[{"sessionId":"\([^"]*\)".*/\1/')
#> Session 'agent:main:cli:dm:alice' continues …: 2 messages
#> Old session: …
#> New session: …
#> Archived 0 messages (0 tokens)
gsv config set session.default_key agent:main:cli:dm:alice && gsv session get | head -1; gsv config unset session.default_key && gsv session get | head -1
#> session.defaultKey = agent:main:cli:dm:alice
#> Session: agent:main:cli:dm:alice
#> session.defaultKey unset
#> Session: agent:main:cli:dm:main
gsv session export agent:main:cli:dm:alice
#> # agent:main:cli:dm:alice (…)
#> 
#> ## User, …
#> 
#> a boat for alice
#> 
#> ## Assistant, …
#> 
#> answer 1
gsv session export agent:main:cli:dm:alice --format html | grep -c '<h2>' && gsv session export agent:main:cli:dm:alice --format json | tr -d '\n' | grep -o '"role":"[a-z]*"'
#> 2
#> "role":"user"
#> "role":"assistant"
gsv chat "/think:high" && gsv chat "//reset is a word"
#> thinking high: applies to one message, and there was none; to set it for all messages: /think or /model
#> answer 1
