// 150 lines of each kind, as people type them at the prompt.

export const HOST_LINES: readonly string[] = `git log
git status
git diff
git diff --stat HEAD~3
git commit -m "fix the parser"
git commit --amend --no-edit
git push
git push origin main
git push --force-with-lease
git pull --rebase
git fetch
git checkout -b feature/login
git switch main
git stash
git stash pop
git rebase -i HEAD~3
git blame src/main.ts
git log --oneline | head
git log --oneline -5 | cat
git show HEAD
git add .
git add -A && git commit -m wip
git branch -a
git bisect start
git clone https://example.com/a.git
git reset --hard HEAD
git tag v1.0.0
git remote -v
git cherry-pick abc1234
npm test
npm install
npm i -D vitest
npm run build
npm run dev
npm publish --dry-run
npm outdated
npx tsc --noEmit
npx prettier --write .
pnpm install
yarn add react
bun test
bun install
bun run build
node index.js
node -e "console.log(1)"
node --version
deno task start
cargo build
cargo test --release
cargo run -- --help
cargo clippy
rustup update
go build ./...
go test ./...
go run main.go
go mod tidy
go vet
go version
python3 foo.py
python3 -m venv .venv
python3
python -c 'print(1)'
pip install requests
pip3 freeze > requirements.txt
pipx run black .
uv sync
poetry install
pytest
pytest -k login -x
ruff check .
mypy src
black .
ruby -v
bundle install
rake test
rails server
php artisan serve
composer install
java -jar app.jar
javac Main.java
mvn package
gradle build
sbt compile
make
make test
make clean install
make -j8
make CC=clang
cmake -B build
cmake --build build
ninja
gcc -o a a.c
clang --version
gdb ./a.out
valgrind ./a.out
docker ps
docker build -t app .
docker run --rm -it alpine sh
docker compose up -d
docker logs -f web
docker exec -it web bash
docker-compose up
podman images
kubectl get pods
kubectl logs -f web
kubectl apply -f k8s.yaml
helm list
terraform plan
terraform apply -auto-approve
ansible all -m ping
aws s3 ls
gcloud auth login
gh pr create
gh pr list
gh issue view 12
ssh host.example
ssh -p 2222 me@example.com
scp a.txt me@example.com:
rsync -av src/ backup/
wget https://example.com/a.tgz
vim README.md
vim src/main.ts +12
nvim .
nano notes.md
emacs -nw notes.md
code .
code src/main.ts
htop
btop
tmux ls
tmux attach -t 0
psql -l
psql mydb
sqlite3 app.db .tables
redis-cli ping
brew install jq
brew update
sudo apt install jq
sudo systemctl restart nginx
apt list --installed
systemctl status nginx
journalctl -u nginx -f
unzip a.zip
ffmpeg -i a.mov a.mp4
convert a.png a.jpg
pandoc README.md -o README.pdf
eslint src
vitest run
jest --watch
ollama list
ollama run llama3
open .
just build
ping -c 3 example.com
dig example.com
cal
PORT=3000 npm start
NODE_ENV=test CI=1 npm test
git status && npm test
cat package.json | npx json version
ls -la | fzf`.split("\n");

export const SHELL_LINES: readonly string[] = `ls
ls -la
ls src
ls -la ~
ls /proc
ls *.md
cd src
cd ..
cd ~/notes
cd
pwd
cat README.md
cat /etc/passwd | head -3
cat package.json
head -5 notes.md
tail -n 3 notes.md
tail -f /var/log/gsv/kernel.log
grep -rn needle ~
grep -c TODO notes.md
find . -name '*.md'
find ~ -mtime -1
find src -type f | wc -l
wc -l notes.md
sort notes.md | uniq -c
sort -n data.csv
uniq -c notes.md
cut -d, -f1 data.csv
tr a-z A-Z < notes.md
sed -n 1,5p notes.md
sed 's/a/b/' notes.md
awk '{print $1}' data.csv
diff notes.md README.md
touch a b c
mkdir -p a/b/c
rm -rf a
rm draft-? note?.md
mv a.txt b.txt
cp host:./a.txt ~/a.txt
ln -s notes.md n
chmod 600 notes.md
stat notes.md
du -sh .
tree src
xargs -n1 echo < notes.md
seq 1 10
echo hello
echo hello big world > file.txt
echo are you sure?
printf '%s\\n' a b c
date
date -u +%s
env
export PATH=/bin:$PATH
X=5
Y="a b" echo $Y
arr=(1 2 3)
echo $((1 + 2))
echo $HOME
unset X
set -e
alias ll='ls -l'
type ls
which ls
source ~/notes
. ~/notes
true
false
yes | head -2
sleep 1
time ls
time pwd
test -f notes.md
[ -d /proc ] && echo yes
[[ $X == 5 ]]
(cd /tmp; ls)
{ echo a; echo b; }
> empty.txt
2> errors.txt ls
for i in 1 2 3; do echo $i; done
for f in *.md; do wc -l "$f"; done
while read -r line; do echo "$line"; done < notes.md
until false; do break; done
if [ -f notes.md ]; then cat notes.md; fi
case $X in 5) echo five;; esac
f() { echo hi; }
./run.sh --fast
~/notes
/proc/self
ps
ps -l
ps aux
ps | grep init
ps --json | head -1
top -n 1
kill %1
kill task:abc123
kill -STOP task:abc123
kill 123 456
wait
wait task:abc123
wait -n task:abc123 task:def456
jobs
fg %1
bg
logs task:abc123
logs -f init:1000
logs task:abc123 --limit 5
strace task:abc123
attach task:abc123
spawn --prompt "review the docs"
spawn --label x --prompt "review it"
send --pid task:abc123 "go on"
chat "what is running?"
chat --new "sum up README.md"
run --label x "look around"
history
history --limit 5
history search parser
diff task:abc123
undo task:abc123
undo --last 2 || undo --help
rewind task:abc123 --to 12
usage
usage --by model
budget task:abc123
nice task:abc123 10
renice 5 task:abc123
approvals
approve k3x9
approve --all || approve --help
deny k3x9 -m "no"
answer k3x9 "blue"
config list
config get ai.model
config set budget.day 10
config unset ai.model
model list || ai models
auth provider anthropic
user list
agent list
session list
session get
workspace list
workspace attach .
skills list
context list
repo log
archive list
media list task:abc123
events --pid task:abc123
doctor
doctor --json
kernel status
kernel restart
man
man chat
man -k stop
help
help chat
explain 5
explain exit 78
uptime
w
lsof
perf task:abc123
backup /tmp/home.tgz
df
fetch https://example.org
exit
exit 3
gsv ps
gsv chat "hi"`.split("\n");

export const WORD_LINES: readonly string[] = `what is running?
how do I stop a process?
what does this project do?
why does the build fail?
who wrote this module
where is the config read
when was this file last changed
can you explain the parser to me
could you add a test for that
please fix the failing test
fix the failing test
fix add.js so that the test passes
find the bug in my code
find the bug in add.js
find all the places where we call this
find out why it is slow
kill the dev server
kill the process that hangs
kill it!
compact this
model opus is better
events today?
answer in german from now on
answer yes to all of that
run the tests
run the tests and fix what fails
run ls -la on the host
run it again
make the tests pass
make it faster
make sure that nothing else breaks
make a new branch for this
make this function shorter
test whether the parser works
test it
test 3 of them first
time how long the tests take
time flies
git is confusing
git says there is a conflict, what now?
git was faster before
npm is so slow today
npm fails with an error that I don't understand
docker does not start on my laptop
docker or podman?
look up the docs of that function
make tests pass again
link the two pages
python is better than ruby for this
python or ruby?
node keeps crashing, why?
cargo takes forever here
go on
go ahead
go on with the next step
go through the list and check each item
go back to the old version
go for it
open the file and look at line 12
open a pull request with these changes
code review please
code this for me
just do it
just fix it
just the first one please
just a moment
say hello to everyone
say something nice
watch the build and tell me
watch this space
look at the failing test
look into it
sort out the mess in src
sort these numbers: 3 1 2
split this function in two
split it in 3 parts
join these two lists
join us for dinner at 8
cut the noise from the report
cut this into 2 pieces
paste the result into notes
head over to the docs
tail the logs and summarise them
cat pictures make everyone happy
touch nothing in that folder
set up a new project for me
list all the files that changed
list the 5 biggest files
move the helper to its own file
copy that to the clipboard please
remove the unused imports
rename this variable to total
delete the old branch
write tests for the parser
write a README
read the README and tell me more
read notes.md
show me the diff
show me what you changed
explain this error to me
explain cart.js
explain ./cart.js in short
summarise README.md
summarize the last commit
review my changes
review the pull request on login
refactor src into smaller files
add a cache to the client
add a --verbose flag to the cli
use tabs instead of spaces
update the dependencies
upgrade react to the newest version
install the missing packages for me
start with the tests
start over
stop
stop after the first failure
continue
continue with the second step
yes
yes please
yes go on with that
no
no, the other one
ok
ok, do that
thanks
thank you!
hello
hi there
good morning
help me with this error
help me
more please
try again
undo the last change
undo that
restore the old behaviour please
attach the file to my message
history of this project please
file a bug for this
group the results by owner
user names should be validated
session handling is broken
doctor my text a little
approve of my plan or not
deny nothing that I asked
config the printer for me
man this is hard to read
exit codes confuse me
edit the readme so it is shorter
select the best option for us
if I add a cache does it get faster
for every file add a header
while you are at it fix the typo
until when is this release supported
case in point this test fails
function names should be shorter
then do the rest please
do the same for the client
in what order are these run
ls is what exactly?
is grep faster than rg?
rm is dangerous, right?
true friends tell the truth
type annotations are missing there
alias names are confusing here
compare the two approaches
convert this file to typescript
convert it to a table
import the other module instead
display the results as a table
service names must be unique
task one is done
play it safe
what next?
who are you?
as you like
top of the morning
Summarise my current workspace.`.split("\n");
