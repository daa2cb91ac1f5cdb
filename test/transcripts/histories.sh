# A long conversation summarised, copied, and found again.

printf '%s\n' '{"for":"summary","text":"## Task\nCount the boats."}' '{"text":"answer {{n}}","repeat":100}' > $HOME/s.jsonl
export GSV_MODEL=script:$HOME/s.jsonl
for boat in red green blue; do gsv chat "a $boat boat"; done 2>/dev/null
#> answer 1
#> answer 2
#> answer 3
gsv compact init:1000 --keep 2 --preview
#> would summarize 4 messages (1-4) and keep 2: … → … tokens
#> your messages in this part:
#>   [1] a red boat
#>   [3] a green boat
gsv compact init:1000 --keep 2
#> compacted init:1000: … → … tokens (messages 1-4 summarized, 2 kept; full text: /proc/init:1000/segments/1-4)
gsv compact init:1000 --keep 2
#> nothing to compact: init:1000 keeps all 2 messages
gsv compact init:1000 --undo && gsv compact init:1000 --undo
#> undone: init:1000 has messages 1-4 in full again
#! gsv: no compaction to undo in init:1000
#= 3
gsv compact init:1000 --keep 2 > /dev/null; gsv chat "and now?"; gsv compact init:1000 --undo
#> answer 4
#! gsv: too late to undo: init:1000 has new messages since its last compaction
#!   to list the summarized parts: gsv history segments init:1000; full text: /proc/init:1000/segments
#= 1
gsv cat /proc/init:1000/segments/1-4 | wc -l
#> 4

# As a file takes it.
gsv sh -c 'echo compact keep=1 > /proc/self/ctl; ls /proc/self/segments'
#> 1-4
#> 5-9
gsv sh -c 'echo compact keep=none > /proc/self/ctl'
#! bash: /proc/self/ctl: …
#= 1

# What was put away is found as well.
gsv proc reset > /dev/null; gsv chat "a yellow boat"
#> answer 1
gsv history search boat
#> … init:1000 12 user: a yellow boat
#> … init:1000 5 (archived) user: a blue boat
#> … init:1000 3 (archived) user: a green boat
#> … init:1000 1 (archived) user: a red boat
gsv history search '"red boat"' --json
#> {"pid":"init:1000","seq":1,…,"role":"user","archiveId":"…","snippet":"a red boat","hits":[[2,10]]}
gsv history search submarine
#! (nothing found)
#= 1

# Another way from an earlier point.
gsv chat --pid $(gsv fork init:1000 --through 13 --label "another way") "and then?"
#> answer 2
gsv fork init:1000 --through 3
#! gsv: no message 3 in init:1000
#!   to list message numbers: gsv proc history --pid init:1000 --json
#= 3
gsv history policy init:1000 --pressure 150%
#! gsv: pressure must be from 0.01 to 1, such as 0.9 or 90%, not 150%
#= 2
