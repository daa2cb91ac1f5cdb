// Pipes with commands that run at the same time: the reader stops at some point, and the writer gets a broken pipe.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { HOME, Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());

const KIB = 1024;

beforeEach(() => scripts.reset());

/** No command may print more than 256 KiB at once, so its reader ended every pipe here. */
const run = (script: string, hear?: (stdout: string) => void) =>
  scripts.run(script, { outputBytesMax: 256 * KIB }, hear && { hear });

const ENDLESS: { readonly [script: string]: string } = {
  "yes | tr y z | nl | head -2": "     1\tz\n     2\tz\n",
  "yes ab | fold -w1 | rev | tee copy | sed 2q": "a\nb\n",
  "yes | cat -n | cut -f1 | sed 2q": "     1\n     2\n",
  "seq inf | grep -m1 70000": "70000\n",
  "seq inf | xargs -n1 echo | awk 'NR == 2 { print; exit }'": "2\n",
  "while :; do echo a; done | head -2": "a\na\n",
  "i=0; until false; do { echo $((i++)); }; done | grep -q 9": "",
  "f() { while true; do if true; then echo $1; fi; done; }; f x | tr x y | head -1": "y\n",
};

for (const [script, stdout] of Object.entries(ENDLESS))
  test(`the reader's end ends the pipe: ${script}`, async () => {
    const told = `set -o pipefail; ${script}; echo "$? \${PIPESTATUS[0]}"`;
    expect(await run(told)).toEqual({ stdout: `${stdout}141 141\n`, stderr: "", exit: 0 });
  });

test("a pipe passes more data than its buffer holds", async () => {
  await scripts.files.write(`${HOME}/big`, Buffer.from(`${"x".repeat(63)}\n`.repeat(16 * KIB)), "start");
  expect(await run("cat big | tr x y | grep y | wc -l")).toEqual({ stdout: "16384\n", stderr: "", exit: 0 });
});

test("a growing file is read as it grows, until the reader has enough", async () => {
  await scripts.files.write(`${HOME}/log`, Buffer.from("starting\n"), "start");
  let isAdded = false;
  const { stdout, exit } = await run("echo begun; tail -f log | grep -m1 ready", (text) => {
    if (isAdded || !text.includes("begun")) return;
    isAdded = true;
    void scripts.files.write(`${HOME}/log`, Buffer.from("one\nready now\nmore\n"), "end");
  });
  expect({ stdout, exit }).toEqual({ stdout: "begun\nready now\n", exit: 0 });
});

test("a program in a pipe keeps its own messages and exit status", async () => {
  expect((await run("ls none 2>&1 | sed 's/none/NONE/'")).stdout).toContain("'NONE'");
  expect(await run("cat none 2>/dev/null | wc -l; cat none | wc -l")).toMatchObject({
    stdout: "0\n0\n",
    stderr: "cat: none: No such file or directory\n",
  });
  expect((await run(`grep x none 2>/dev/null | cat | head -1; echo "\${PIPESTATUS[@]}"`)).stdout).toBe("2 0 0\n");
  expect((await run("set -e -o pipefail; cat none 2>&1 | head -1; echo not here")).exit).toBe(1);
  expect((await run("diff <(echo a) <(echo b) | head -1; seq 2 | tee >(cat >&2) | tail -1")).stdout).toBe("1c1\n2\n");
  await scripts.files.write(`${HOME}/lib`, Buffer.from('logs() { echo "$# $1"; }\n'), "start");
  expect((await run(". ./lib; logs a | cat")).stdout).toBe("1 a\n");
  expect((await run("grep() { echo mine; }; echo a | grep a | cat")).stdout).toBe("mine\n");
  expect((await run("x=1; seq $((x++)) | tail -n $((x + 1)) | cat; echo $x")).stdout).toBe("1\n1\n");
});

test("the stages of a pipe run at the same time", async () => {
  // Each stage waits for the file of the next one.
  const until = (name: string) => `until [ -e ${name} ]; do sleep 0.01; done`;
  const stages = ["a", "b", "c"].map((name, at) => `{ touch ${name}; ${until(["b", "c", "a"][at] ?? "")}; }`);
  expect((await run(`${stages.join(" | ")}; echo "met \${PIPESTATUS[@]}"`)).stdout).toBe("met 0 0 0\n");
});

test("a stage prints while it runs, to the script's own output, too", async () => {
  const script = "{ echo one; until [ -e go ]; do sleep 0.01; done; echo two; } | while read x; do echo got $x; done";
  const { stdout } = await run(script, (text) => {
    if (text === "got one\n") void scripts.files.write(`${HOME}/go`, new Uint8Array(), "start");
  });
  expect(stdout).toBe("got one\ngot two\n");
});

test("a pipe without an end prints up to the limit, and stops when the script is stopped", async () => {
  const message = "bash: too much output; the limit is 256 KiB\n";
  for (const script of ["yes | cat", "x=$(yes | cat)", "{ yes; } | { cat; } | cat >&2"])
    expect(await run(script)).toMatchObject({ exit: 153, stderr: expect.stringContaining(message) });
  const stopping = new AbortController();
  const stopped = scripts.run(
    "echo begun; yes | tr y n | grep y",
    {},
    {
      signal: stopping.signal,
      hear: () => stopping.abort(),
    },
  );
  expect((await stopped).stdout).toBe("begun\n");
});

test("xargs -P runs as many commands at the same time, and waits for all of them", async () => {
  // Each command waits for the file of the other.
  const meets =
    "touch {}; for i in {1..1000}; do [ -e a -a -e b ] && { echo met; exit 3; }; sleep 0.01; done; echo alone";
  const met = `printf 'a\\nb\\n' | xargs -P 2 -I{} sh -c '${meets}'; echo $?`;
  expect((await run(met)).stdout).toBe("met\nmet\n123\n");
  expect(
    (await run("seq 40 | xargs -P 8 -n1 echo | sort -n | tail -1; seq 40 | xargs -P 8 -n1 echo | wc -l")).stdout,
  ).toBe("40\n40\n");
  expect((await run("seq 6 | xargs -P 0 -n1 echo | sort -r | head -1")).stdout).toBe("6\n");
  expect((await run("seq 9 | xargs -P 2 -n1 nowhere 2>/dev/null; echo $?")).stdout).toBe("127\n");
  expect((await run("seq 9 | xargs -P 2 -n1 sh -c 'exit 255' 2>/dev/null; echo $?")).stdout).toBe("124\n");
  const refused = await run("echo | xargs -P two");
  expect([refused.stderr, refused.exit]).toEqual(['xargs: invalid number "two" for -P option\n', 1]);
});
