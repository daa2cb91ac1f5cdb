# What is typed wrong says what is right, and pipes get what they ask for.

gsv
#! gsv: a small operating system for agents
#! …
#= 2
gsv --version
#> gsv … bun …
gsv proc
#! Commands
#! …
#= 2
gsv proc lst
#! gsv: unknown command: proc lst
#!   did you mean gsv proc list
#= 2
gsv list
#! gsv: unknown command: list
#!   did you mean gsv proc list …
#! …
#= 2
gsv proc list --uid --limit 3
#! gsv: --uid needs a value, and --limit looks like a flag
#!   if it is the value: --uid=--limit
#= 2
gsv proc list --uid -1
#! gsv: --uid needs a value, and -1 looks like a flag
#!   if it is the value: --uid=-1
#= 2
gsv proc send hello world
#! gsv: unexpected argument world
#!   text of several words needs quotes around it
#= 2
gsv chat
#! gsv: nothing to send: give a message or pipe one in
#!   usage: gsv chat …
#= 2

# None of this created a home.
ls $GSV_HOME/kernel.db
#! …
#= 2

echo "help" | gsv chat 2>/dev/null | head -1
#> I am not a model. …
echo "help" > note.txt; gsv chat < note.txt 2>/dev/null | head -1
#> I am not a model. …
printf 'binary\0data' | gsv chat
#! gsv: stdin is application/octet-stream, 11 B, so it needs a message that says what to do with it
#!   give a message, too: gsv chat "What is this?" < FILE
#= 2
printf 'binary\0data' | gsv send -
#! gsv: stdin is not text: it contains NUL bytes
#! …
#= 2
gsv proc list --json | head -c 12; echo
#> {"pid":"init
gsv chat --json "what is running?" 2>/dev/null | tail -1
#> {"type":"result","pid":"init:1000","parent":null,"run":"…","status":"ok","exit":0,"text":"1 process:…","error":null,"model":"offline",…}
gsv chat --new --label "second" "thanks" 2>&1 >/dev/null | head -1
#> gsv: new process task:aaaaaa
GSV_MODEL=gpt-9 gsv chat "hello"
#! gsv: unknown provider "gpt-9"
#!   did you mean gpt-5
#!   a model can be: offline, script:/path/to/file, anthropic/MODEL, openai/MODEL, ollama/MODEL, openrouter/MODEL, google/MODEL
#= 78
