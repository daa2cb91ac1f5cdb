// Whether a line is a command or a message, and how to force it.

import { expect, test } from "bun:test";
import { getCommandNames } from "just-bash/browser";
import { INTERPRETER } from "../../src/shell/interpreter/interpreter.ts";
import { programNames } from "../../src/shell/interpreter/names.ts";
import { PROGRAMS } from "../../src/shell/programs/table.ts";
import { routeOf } from "../../tui/verdict/route.ts";

const programs = new Set([...(await programNames()), ...INTERPRETER, ...PROGRAMS.keys(), "gsv"]);
const there = new Set(["./run.sh", "~/notes", "/proc/self", "notes.md"]);
const known = {
  isProgram: (word: string) => programs.has(word),
  isSlash: (word: string) => ["help", "quit"].includes(word),
  isHostProgram: () => false,
  exists: (word: string) => there.has(word),
};

const COMMANDS = `ls
ls -la ~
cd ~/notes
pwd
cat /etc/passwd | head -3
ps
ps | grep init
kill -STOP task:abc123
kill task:abc123
kill %1
wait task:abc123
wait
logs task:abc123 --limit 5
send --pid task:abc123 "go on"
spawn --label x --prompt "review it"
chat "what is running?"
find . -name '*.md'
find ~ -mtime -1
grep -rn needle ~
echo hello
echo hello big world > file.txt
X=5
export PATH=/bin:$PATH
arr=(1 2 3)
for i in 1 2 3; do echo $i; done
while read -r line; do echo "$line"; done < notes.md
if [ -f notes.md ]; then cat notes.md; fi
[ -d /proc ] && echo yes
[[ $X == 5 ]]
(cd /tmp; ls)
{ echo a; echo b; }
> empty.txt
2> errors.txt ls
./run.sh --fast
~/notes
/proc/self
mkdir -p a/b/c
rm -rf a
cp host:./a.txt ~/a.txt
man -k stop
man chat
help
help chat
history
type ls
test -f notes.md
time ls
sort notes.md | uniq -c
head -5 notes.md
tail -n 3 notes.md
touch a b c -c
set -e
source ~/notes
exit
exit 3
true
case $X in 5) echo five;; esac
f() { echo hi; }
gsv ps
stat notes.md
echo are you sure?
for each in 1 2 3
ls notes?
rm draft-? note?.md
kill 123 456
head 5 notes
read -r name
read name
run --label x "look around"
time pwd
explain 78
explain exit
explain exit 5
yes | head -2
fetch https://example.org
cat it.md
true`.split("\n");

const SENTENCES = `what is running?
how do I stop a process?
find the bug in my code
kill the process that hangs
wait until the build has finished
send a summary to my team
help me with this error
man this is hard to read
test whether the parser works
time how long the tests take
sort out the mess in src
cat pictures make everyone happy
head over to the docs
tail the logs and summarise them
touch nothing in that folder
set up a new project for me
exit codes confuse me
read the README and tell me more
write tests for the parser
make the tests pass
explain this error to me
list all the files that changed
look at the failing test
move the helper to its own file
split this function in two
join these two lists
cut the noise from the report
paste the result into notes
watch the build and tell me
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
chat with me about compilers
user names should be validated
doctor my text a little
approve of my plan or not
deny nothing that I asked
history of this project please
file a bug for this
group the results by owner
mount everest is how high
alias names are confusing here
true friends tell the truth
yes go on with that
type annotations are missing there
who wrote this module
where is the config read
continue with the second step
stop after the first failure
restore the old behaviour please
thanks
rm is dangerous, right?
ls is what exactly?
sort these numbers: 3 1 2
sort apples, pears: 3 1 2
time flies
read notes.md
read math.js on the host
run ls -la on the host
run ls
find the bug
wait 5 minutes and tell me
list the 5 biggest files
split it in 3 parts
cut this into 2 pieces
join us for dinner at 8
watch this space
top of the morning
test 3 of them first
undo the last change
attach the file to my message
is grep faster than rg?
yes
continue
explain cart.js
explain ./cart.js in short
test it
undo that
kill it!
help me
more please
try again
fetch the news
Summarise my current workspace.`.split("\n");

test.each(COMMANDS)("command: %s", (line) => {
  expect(routeOf(line, known).to).toBe("shell");
});

test.each(SENTENCES)("message: %s", (line) => {
  expect(routeOf(line, known).to).toBe("chat");
});

test("a first character decides", () => {
  expect(routeOf(", ls", known)).toEqual({ to: "chat", text: "ls" });
  expect(routeOf("! make test", known)).toEqual({ to: "host", text: "make test" });
  expect(routeOf("/help", known)).toEqual({ to: "slash", word: "help", rest: "" });
  expect(routeOf("/quit now", known)).toEqual({ to: "slash", word: "quit", rest: "now" });
});

test("commands of a conversation are messages, unless they are slash commands or paths", () => {
  for (const line of ["/status", "/reset", "/think high", "/think:high why?", "//reset is a word", "/stop"])
    expect(routeOf(line, known)).toEqual({ to: "chat", text: line });
  expect(routeOf("/proc/self", known).to).toBe("shell");
});

test("the words that leave other shells and editors leave, if alone", () => {
  for (const word of ["quit", ":q", ":q!", ":wq"])
    expect(routeOf(word, known)).toEqual({ to: "slash", word: "quit", rest: "" });
  expect(routeOf("quit smoking", known).to).toBe("chat");
});

test("an unknown word after a slash is for the terminal, and no program", () => {
  expect(routeOf("/resume", known)).toEqual({ to: "unknown", word: "resume" });
  expect(routeOf("/proc/self", known).to).toBe("shell");
});

test("empty lines and comments go nowhere", () => {
  for (const line of ["", "   ", "# later", ","]) expect(routeOf(line, known)).toEqual({ to: "nothing" });
});

test("the list of programs is the interpreter's", () => {
  expect(getCommandNames().filter((name) => !INTERPRETER.has(name))).toEqual([]);
});

test("config with the full name of a setting is a command, also before its value", () => {
  for (const line of ["config set budget.day 10", "config set compaction.e", "config unset ai.model now"])
    expect(routeOf(line, { ...known, isProgram: (word) => word === "config" }).to).toBe("shell");
  expect(routeOf("config the printer for me", known).to).toBe("chat");
});
