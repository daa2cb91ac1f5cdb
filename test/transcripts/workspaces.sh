# A place of work that outlives its processes.

gsv workspace list
#! gsv: created a home at /tmp/x/home
#! no workspaces yet: gsv workspace create
PID=$(gsv spawn --workspace new --label "trip to Rome" --prompt "Summarise my workspace")
gsv wait $PID
WS=$(gsv workspace list --json | sed 's/.*"id":"\([^"]*\)".*/\1/'); echo "$WS"
#> ws_…
gsv proc get $PID | grep -E 'cwd|workspace' | sed s/$WS/WS/
#> cwd         /workspaces/WS
#> workspace   WS
echo '# Rome' | gsv cp - /workspaces/$WS/README.md
gsv ls -A /workspaces/$WS
#> .gsv
#> README.md
gsv kill $PID
#> killed … (archived … messages to …; checkpoint … in ws_…)
gsv workspace log $WS
#> …  sam  checkpoint proc kill
#> …  sam  write README.md
#> …  sam  begin workspace
git -C $GSV_HOME/repos/sam/$WS log --format='%an %s' | tail -n 1
#> sam begin workspace
gsv grep "last asked" /workspaces/$WS/.gsv/summary.md
#> - last asked: Summarise my workspace
gsv spawn --workspace $WS --prompt "Summarise my workspace" > $HOME/next; gsv wait $(cat $HOME/next); gsv logs $(cat $HOME/next) --limit 1 2>/dev/null | grep "begins"
#> README.md begins:

# A directory of this machine, in its place.
mkdir $HOME/project && git -C $HOME/project init -q && echo hello > $HOME/project/a.txt
(cd $HOME/project && gsv workspace attach . --label site)
#> dir_…
DIR=$(gsv workspace list | grep -o 'dir_[a-z0-9]*'); gsv cat /workspaces/$DIR/a.txt
#> hello
REAL=$(cd $HOME/project && pwd -P); gsv cat $REAL/a.txt
#> hello
echo "cd $REAL; pwd; ls *.txt" | gsv sh | sed "s|$REAL|REAL|"
#> REAL
#> a.txt
echo x | gsv cp - /workspaces/$DIR/.git/config
#! gsv: …this name is reserved by git
#= 1
gsv workspace attach project
#! gsv: no such workspace: project
#!   to list workspaces: gsv workspace list
#= 3
gsv spawn --workspace $GSV_HOME
#! gsv: …is in gsv's own home, which is off limits
#= 1

# Put away, and taken back.
gsv workspace archive $WS
#> ws_… is archived; … can only read it now
echo y | gsv cp - /workspaces/$WS/README.md
#! gsv: …this workspace is archived
#= 1
gsv workspace list | grep -c ws_
#> 0
#= 1
gsv workspace archive --undo $WS
#> ws_… is active
gsv df | grep -c workspace
#> 1
