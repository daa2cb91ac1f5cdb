// Programs that print as they go: alone, and in `tail -f FILE | while read -r line`, where the loop runs meanwhile and ends the program.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());

test("a program outside of a pipe prints before it ends, in order with what others report", async () => {
  const heard: number[] = [];
  const watch = { hear: (stdout: string) => heard.push(stdout.length) };
  const { stdout } = await scripts.run("seq 500000", { outputBytesMax: 64 * 1024 * 1024 }, watch);
  expect(stdout.length).toBe(3_388_895);
  // Output that was collected until the end would come in pieces of 1 MiB.
  expect(heard[0]).toBeLessThan(256 * 1024);
  expect(await scripts.run("seq 2; ls nope; seq 1 > f; cat f f >&2; echo $(seq 3)")).toEqual({
    exit: 0,
    stdout: "1\n2\n1 2 3\n",
    stderr: "ls: cannot access 'nope': No such file or directory\n1\n1\n",
  });
});

test("the loop reads each line when it is written, and its end ends tail", async () => {
  // The job writes the next line only after the loop has seen the one before.
  const script = `echo 1 > log
    (for n in 1 2 3; do until [ -e seen$n ]; do sleep 0.01; done; echo $((n+1)) >> log; done) &
    tail -f log | while read -r line; do : > "seen$line"; echo "<$line>"; last=$line; [ "$line" = 3 ] && break; done
    echo "$? \${last-unset}"; wait`;
  expect(await scripts.run(script)).toEqual({ exit: 0, stdout: "<1>\n<2>\n<3>\n0 unset\n", stderr: "" });
});

test("read splits as always, and gets an unfinished last line", async () => {
  const { stdout } = await scripts.run(`printf 'a:b c\\nend' > f
    tail -n +1 -f f | while IFS=: read -r x y || [ -n "$x" ]; do echo "<$x><$y>"; break; done
    yes 'k v' | while read key value; do echo "$value $key"; break; done
    printf 'x\\ny' > g; (until [ -e go ]; do sleep 0.01; done; echo >> g) &
    tail -n +1 -f g | while read -r z; do echo "[$z]"; : > go; [ "$z" = y ] && break; done; wait`);
  expect(stdout).toBe("<a><b c>\nv k\n[x]\n[y]\n");
});

test("the pipe has the status of the loop, and set -e and exit see it", async () => {
  expect(await scripts.run("yes | while read -r l; do exit 7; done; echo $?")).toMatchObject({
    stdout: "7\n",
    exit: 0,
  });
  expect(await scripts.run("set -e; yes | while read -r l; do false; done; echo never")).toMatchObject({
    stdout: "",
    exit: 1,
  });
  expect(
    await scripts.run('set -o pipefail; n=$(yes | while read -r l; do echo in; break; done); echo "$n"'),
  ).toMatchObject({
    stdout: "in\n",
  });
});

test("a loop reads from every kind of command", async () => {
  const producers = ["{ echo 1; }", "(echo 2)", "for i in 3 4; do echo $i; done", "if true; then echo 5; fi", "f"];
  const lines = producers.map((each) => `${each} | while read -r x; do echo "[$x]"; done`);
  const empty = ["x=1", "[[ a ]]", "((1))", "while false; do :; done"].map(
    (each) => `${each} | while read y; do :; done`,
  );
  expect(await scripts.run(["f() { echo 6; }", ...lines, ...empty, "echo $?"].join("\n"))).toEqual({
    exit: 0,
    stdout: "[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n0\n",
    stderr: "",
  });
});
