# Files of gsv as they are typed on every Unix, on an empty home.

gsv mkdir -p '~/notes/old'
#! gsv: created a home at /tmp/x/home
echo "call the bank" | gsv cp - '~/notes/todo.md'
gsv cat '~/notes/todo.md'
#> call the bank
gsv ls '~/notes'
#> old
#> todo.md
gsv ls -l '~/notes'
#> total 4
#> drwxrws--- 1 sam sam  0 2026-01-02T03:04:05.678Z old
#> -rw-rw---- 1 sam sam 14 2026-01-02T03:04:05.678Z todo.md
gsv ls --json '~/notes/todo.md'
#> {"name":"todo.md","kind":"file","mode":"0660",…,"owner":"sam","group":"sam","size":14,"mtimeMs":…,"path":"~/notes/todo.md",…}
gsv tree notes
#> notes
#> ├── old
#> └── todo.md
#>
#> 1 directory, 1 file

# Files of this machine come in and go out with their modes.
echo report > report.txt; chmod 640 report.txt
gsv cp host:./report.txt '~/report.txt'
gsv cp '~/report.txt' host:copy.txt; cat copy.txt; stat -c %a copy.txt
#> report
#> 640

gsv mv '~/report.txt' '~/notes/old'
gsv find '~' -name '*.txt'
#> ~/notes/old/report.txt
gsv grep -rn bank '~/notes'
#> ~/notes/todo.md:1:call the bank
gsv grep -q money '~/notes/todo.md'
#= 1
gsv ln -s notes/todo.md '~/today'; gsv cat '~/today'
#> call the bank
gsv chmod go-rwx '~/notes/todo.md'; gsv stat --json '~/notes/todo.md' | grep -o '"mode":"[0-7]*"'
#> "mode":"0600"
gsv du -sb '~/notes'
#> 21…~/notes

# An editor gets a copy, and what it leaves is the file.
EDITOR='sed -i s/bank/doctor/' gsv edit '~/notes/todo.md'
#! wrote ~/notes/todo.md
gsv cat '~/notes/todo.md'
#> call the doctor
EDITOR=true gsv edit '~/notes/todo.md'
#! no changes to ~/notes/todo.md
EDITOR=false gsv edit '~/notes/todo.md'
#! gsv: the editor ended with status 1: nothing was changed
#= 2

# What goes wrong is one line, in the words of every shell.
gsv cat '~/nope' '~/notes/todo.md'
#> call the doctor
#! gsv: cat: ~/nope: No such file or directory
#= 3
gsv cat ~/notes/todo.md
#! gsv: cat: /tmp/x/notes/todo.md: No such file or directory
#!   your shell replaced ~ with /tmp/x; quote it to mean your home inside gsv
#!   gsv cat '~/notes/todo.md'
#= 3
gsv mkdir /x
#! gsv: mkdir: cannot create directory ‘/x’: Permission denied
#= 1
gsv cat '~'
#! gsv: cat: ~: Is a directory
#!   gsv ls '~' lists it
#= 1
gsv rm '~/notes'
#! gsv: rm: cannot remove ~/notes: it is a directory
#!   -r removes it with its contents
#= 1
gsv rm -r '~/notes'; gsv rm -f '~/notes'
gsv ls
#> today
