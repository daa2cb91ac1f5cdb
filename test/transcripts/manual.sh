# The manual, the syscalls and completion as a person meets them, before there is a home.

gsv man kernel
#> NAME
#>   gsv kernel - Start, stop or inspect the kernel
#>
#> SYNOPSIS
#>   gsv kernel start|status|restart|stop [--json]
#> …
#> SEE ALSO
#>   kernel(7), …
#>
#> kernel(7)
#>   See, start and stop gsv's background process, and repair a home.
#> …

gsv man -k damaged archive | head -n 1
#> history-and-archives(7) - Check that an archive is whole

gsv man nosuchpage
#! gsv: the manual has no page nosuchpage
#!   gsv man lists the pages; gsv man -k WORD… searches them
#= 3

gsv help patterns | head -n 3
#> patterns - Good habits: init or task, reset or kill, chat or send, history or file.
#>
#> Choose between init and a task

gsv __complete 0 ap
#> approvals	List pending approvals and questions
#> approve	Approve a request
#> api	Call any syscall with JSON

# None of that needed a home.
ls -d "$GSV_HOME" 2>/dev/null
#= 2

PID=$(gsv spawn --label "docs audit" 2>/dev/null)
gsv __complete 1 kill ta
#> task:aaaaaa	docs audit · idle

gsv api proc.get "{\"pid\":\"$PID\"}"
#> {"pid":"task:aaaaaa","label":"docs audit",…}

gsv api proc.kill '{"pid":"init:1000"}'
#! gsv: init:1000 is an init process …
#! …
#= 1
