// Shells that keep state between lines, files that contain scripts, and programs that read no more than they need.

import { afterAll, beforeEach, expect, test } from "bun:test";
import type { ShellJob, ShellState } from "../../src/targets/shell.ts";
import { HOME, Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());

/** Bytes read from each file. */
let read: Map<string, number>;

beforeEach(async () => {
  await scripts.reset(["/tmp", "/home", HOME]);
  read = new Map();
  const whole = scripts.files;
  scripts.files = {
    ...whole,
    async read(path, offset, bytesMax) {
      const result = await whole.read(path, offset, bytesMax);
      read.set(path, (read.get(path) ?? 0) + result.bytes.byteLength);
      return result;
    },
  };
});

const run = (script: string, given: Partial<ShellJob> = {}) => scripts.run(script, given);

/** Lines of one shell, in order; returns the output of the last one. */
async function lines(...typed: readonly string[]): Promise<string> {
  let state: ShellState | null = null;
  let last = "";
  for (const line of typed) {
    const end = await scripts.line(line, state);
    state = end.state;
    last = end.stdout + end.stderr;
  }
  return last;
}

test("functions, umask and traps of one line apply to the next, also those from a file", async () => {
  await run("printf 'greet() {\\n  cat <<E\\nhello $1\\nE\\n}\\n' > lib");
  expect(await lines(". ./lib", "greet you")).toBe("hello you\n");
  expect(await lines("umask 077", "umask; : > f; stat -c %a f")).toBe("0077\n600\n");
  expect(await lines("trap 'echo bye' EXIT", "echo still here")).toBe("still here\n");
  expect(await lines("trap 'echo bye' EXIT", "exit 0")).toBe("bye\n");
  expect(await lines("cd -")).toBe("bash: cd: OLDPWD not set\n");
  expect(await lines("cd /tmp", "cd /", "cd -", "cd - && pwd")).toBe("/\n/\n");
  expect(await lines("f() { exit 3; }", ":", ":", "declare -f f")).toBe("f () \n{ \n    exit 3\n}\n");
});

test("a tilde with a name is the home of that account, wherever bash expands it", async () => {
  await scripts.files.mkdir("/etc", false);
  await scripts.files.write(
    "/etc/passwd",
    Buffer.from("sam:x:1000:100::/home/sam:/bin/sh\nfriday:x:1001:101::/home/friday:/bin/sh\n"),
    "start",
  );
  const { stdout } = await run('echo ~friday/notes "~friday" ~nobody; x=~friday/a; echo $x; IFS=/; echo ~friday');
  expect(stdout).toBe("/home/friday/notes ~friday ~nobody\n/home/friday/a\n/home/friday\n");
  expect((await run("set -x; echo ~friday")).stderr).toBe("+ echo /home/friday\n");
  expect((await run("set -x; seq 2 | head -1; trap : USR1")).stderr).toBe("+ seq 2\n+ head -1\n+ trap : USR1\n");
});

test("a script from a file streams its output, and runs its trap at the end", async () => {
  await run("printf 'echo one; trap \"echo left\" EXIT; set -e; false; echo never\\n' > fails");
  const failed = await run('. ./fails "$@"', { name: "./fails" });
  expect([failed.exit, failed.stdout]).toEqual([1, "one\nleft\n"]);
  await run("printf 'echo \"$0 $1\"\\nwhile :; do :; done\\n' > spins");
  const spun = await run('. ./spins "$@"', { name: "./spins", args: ["now"], wallMs: 250 });
  expect([spun.exit, spun.stdout]).toEqual([124, "./spins now\n"]);
  expect(spun.stderr).toBe("./spins: ended after 0.25 s: time limit reached\n");
});

test("a trap runs when a script gets a stop signal", async () => {
  const wish = new AbortController();
  const { exit, stdout } = await scripts.run(
    "trap 'echo cleaned' EXIT; echo up; sleep 20",
    {},
    { hear: (printed) => printed === "up\n" && wish.abort(), signal: wish.signal },
  );
  expect([exit, stdout]).toEqual([130, "up\ncleaned\n"]);
});

test("head, tail and wc of a big file only hold the bytes that they need", async () => {
  const line = Buffer.from(`${"x".repeat(99)}\n`);
  const big = Buffer.concat(Array.from({ length: 30_000 }, () => line));
  await scripts.files.write(`${HOME}/big`, big, "start");
  const readFor = async (script: string) => {
    read.clear();
    const { stdout } = await run(script);
    return { stdout, bytes: read.get(`${HOME}/big`) ?? 0 };
  };
  const head = await readFor("head -2 big | wc -c");
  expect([head.stdout, head.bytes <= 1024 * 1024]).toEqual(["200\n", true]);
  const tail = await readFor("tail -3 big | wc -l");
  expect([tail.stdout, tail.bytes <= 1024 * 1024]).toEqual(["3\n", true]);
  expect(await readFor("wc -l big")).toEqual({ stdout: "30000 big\n", bytes: big.byteLength });
});

test("a command sees exported variables and those from env, and nothing else of the shell", async () => {
  const script = [
    'x=hidden; export y="a b"; env FOO=1 sh -c \'echo "[$FOO$x] $y"\'; env -u y sh -c \'echo "[$y]"\'',
    "env | grep -c hidden; seq 2 | xargs -I{} sh -c 'echo \"$y {}$x\"'",
  ].join("\n");
  expect((await run(script)).stdout).toBe("[1] a b\n[]\n0\na b 1\na b 2\n");
});

test("programs are found by every way of looking them up", async () => {
  const { stdout } = await run(
    "command -v ls mktemp; type -t ls; which stat; type trap; [ -x /bin/ls ] && /usr/bin/ls",
  );
  expect(stdout).toBe("/usr/bin/ls\n/usr/bin/mktemp\nfile\n/usr/bin/stat\ntrap is a shell builtin\n");
});

test("an unsupported feature in a script is refused with a message, never ignored", async () => {
  for (const [script, word] of [
    ["fg", "no job control"],
    ["tail -f f", "does not end"],
    ["watch date", "does not end"],
    ["git status", "not available in gsv's shell"],
    ["yq . f", "yq: not available in gsv's shell"],
    ["xan count f", "xan: not available in gsv's shell"],
  ] as const) {
    const { exit, stderr } = await run(script);
    expect([script, exit === 0, stderr.includes(word)]).toEqual([script, false, true]);
  }
});

test("a missing program ends a script with 127, and errors go where exec redirected them", async () => {
  expect(await run(`: \${none:?must be set}; echo not here`)).toMatchObject({ exit: 127, stdout: "" });
  expect((await run(`( : \${none?} ); echo $?`)).stderr).toBe("bash: none: parameter not set\n");
  expect((await run("exec 2>&1; echo a > /none/x; echo on")).stdout).toBe(
    "bash: /none/x: No such file or directory\non\n",
  );
  expect((await run("{ echo 1; echo 2 >&2; echo 3; } > log 2>&1; cat log")).stdout).toBe("1\n2\n3\n");
  expect(await run("echo before\ncoproc")).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/^[^\n]*coproc: only in a script, as coproc NAME \{ cmd; \} or coproc cmd\n$/),
  });
});

test("a script knows its own path, and a function its caller's variables", async () => {
  await scripts.files.mkdir(`${HOME}/lib`, false);
  const text = `here=$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd); echo "$here \${0##*/} \${BASH_SOURCE[0]##*/}"\n`;
  await scripts.files.write(`${HOME}/lib/a.sh`, Buffer.from(text), "start");
  expect((await run("bash lib/a.sh; . lib/a.sh")).stdout).toBe(`${HOME}/lib a.sh a.sh\n${HOME}/lib gsv a.sh\n`);
  expect((await run(". lib/a.sh", { name: "lib/a.sh" })).stdout).toBe(`${HOME}/lib a.sh a.sh\n`);
  const cleans = `f() { local t=x; trap 'echo "rm $t"' RETURN; [ $1 = 1 ] && return 3; echo body; }; f 1; echo $?; f 2; g() { :; }; g`;
  expect((await run(cleans)).stdout).toBe("rm x\n3\nbody\nrm x\n");
  expect((await run('a=2.5; if (( $(echo "$a > 1" | bc -l) )); then echo more; fi; ls')).stdout).toContain(
    "more\na.sh".slice(0, 5),
  );
});

test("tac takes several files, uniq skips fields, expr has basic patterns, and whoami is the account", async () => {
  await scripts.files.write(`${HOME}/a`, Buffer.from("1 x\n2 x\n"), "start");
  await scripts.files.write(`${HOME}/b`, Buffer.from("3 y\n"), "start");
  const { stdout } = await run(
    "tac a b; uniq -c -f1 a; expr a+b : '\\(a+\\)'; USER=kim whoami; tee a/b </dev/null 2>&1",
  );
  expect(stdout).toBe("2 x\n1 x\n3 y\n      2 1 x\na+\nkim\ntee: a/b: Not a directory\n");
});

test("text that looks like the words of rewritten scripts is ordinary text", async () => {
  const words = "__gsv_wait __gsv_part=1:0:1:told --shell=1:1 /dev/.gsv/flow/1";
  const script = [
    `printf '%s\\n' ${words} | grep -c -- __gsv_part=1:0:1:told`,
    "__gsv_mine=kept; declare -p __gsv_mine",
    "__gsv_f() { false; }; trap 'echo failed' ERR; __gsv_f; trap - ERR",
    "echo x > /dev/.gsv/flow/1; echo $?",
    "set -x; : __gsv_leave --shell=1:1",
  ].join("\n");
  const { stdout, stderr } = await run(script);
  expect(stdout).toBe('1\ndeclare -- __gsv_mine="kept"\nfailed\n1\n');
  expect(stderr).toContain("/dev/.gsv/flow/1: No such file or directory");
  expect(stderr).toEndWith("+ : __gsv_leave --shell=1:1\n");
});
