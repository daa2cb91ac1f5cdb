# With no key and no network, and a person's word where it is needed.

gsv chat "write buy milk to ~/list.md"
#> Written to ~/list.md.
#! gsv: created a home at /tmp/x/home
#! gsv: no model configured; answers come from the built-in manual
#! [tool] Write {"path":"~/list.md","content":"buy milk"}

gsv chat "delete ~/list.md"
#! gsv: no model configured; answers come from the built-in manual
#! gsv: init:1000 asks: Delete on gsv
#!   danger: deletes a file
#!   | ~/list.md
#!   to delete /home/sam/list.md
#! gsv: answer with: gsv approve a1b2   or: gsv deny a1b2
#! gsv: run is on hold: your answer is needed (gsv wait --wait init:1000 waits for it)
#= 5
gsv approvals
#> ID … PROCESS … TOOL … SINCE … WHAT … ARGUMENTS
#> … init:1000 … Delete … delete /home/sam/list.md; deletes a file … {"path":"~/list.md"}
gsv wait init:1000
#! gsv: init:1000 is on hold: approval a1b2 (delete /home/sam/list.md)
#= 5

# The kernel may leave meanwhile: what waits for a person is stored.
gsv kernel stop
#> kernel … stopped
ID=$(gsv approvals --json | sed 's/.*"id":"\([a-z0-9]*\)".*/\1/')
gsv deny $ID
#> denied a1b2: Delete of init:1000
gsv deny $ID
#> denied a1b2: Delete of init:1000
gsv approve $ID
#! gsv: … was already denied by sam
#= 1
gsv wait init:1000
gsv logs init:1000 --limit 2
#> [2026-01-02T03:04:05.678Z] toolResult: Delete (denied): denied by sam; do not try again, ask what to do instead.
#> [2026-01-02T03:04:05.678Z] assistant: Not done: delete ~/list.md. It was denied by sam.
#! older messages exist (8 in all): …

gsv chat "read ~/list.md"
#> ~/list.md:
#> 
#> buy milk
#! gsv: no model configured; answers come from the built-in manual
#! [tool] Read {"path":"~/list.md"}
gsv approvals
#! (nothing pending)
gsv approve zz99
#! gsv: no such approval: zz99
#!   to list open requests: gsv approvals
#= 3
