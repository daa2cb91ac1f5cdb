// Redirections of gsv's shell: how often they ask for a file, and that a command still finds the file that its redirection opened.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());

async function output(script: string) {
  const { stdout, stderr } = await scripts.run(script);
  return stdout + stderr;
}

test("writing a file asks for it once and writes it once", async () => {
  await scripts.run("{ echo 1; } > first");
  await scripts.run("{ echo 1; } > new");
  expect(scripts.asked).toEqual(["standing", "write"]);
  await scripts.run(": > made");
  expect(scripts.asked).toEqual(["standing", "write"]);
  await scripts.run(": >> new");
  expect(scripts.asked).toEqual(["standing"]);
});

test("a command that only prints needs one question for its file", async () => {
  for (const script of [
    "echo one > new",
    "echo two > new",
    'i=w; echo "three $i" >> ne$i',
    "printf '%s\\n' 4 >> \"./new\"",
  ]) {
    await scripts.run(script);
    expect({ script, asked: scripts.asked }).toEqual({ script, asked: ["write"] });
  }
  expect(await output("cat new")).toBe("two\nthree w\n4\n");
  expect(await output("{ echo 1 > in; echo 2 >> in; } > out; stat -c %s out; cat in")).toBe("0\n1\n2\n");
});

test("an error is reported once, also if the command is looked up in the PATH meanwhile", async () => {
  const script = "PATH=/usr/local/bin:/usr/bin; echo x > nodir/f; echo $?; echo y >> new; cat new";
  expect(await scripts.run(script)).toMatchObject({
    stdout: "1\ny\n",
    stderr: "bash: nodir/f: No such file or directory\n",
  });
});

test("files that cannot be written are reported before the next command", async () => {
  const { stdout, stderr } = await scripts.run(`mkdir d; echo x > d; echo $?; echo x > nodir/f || echo no
echo x > new; x="n*"; echo pattern > ./$x; cat new; set -C; echo y > new; echo $?; set +C; echo z > new; cat new; echo() { :; }; echo x > last; ls`);
  expect(stdout).toBe("1\nno\npattern\n1\nz\nd\nlast\nnew\n");
  expect(stderr).toBe(`bash: d: Is a directory
bash: nodir/f: No such file or directory
bash: new: cannot overwrite existing file
`);
});

test("a command finds the file that its redirection opened, emptied", async () => {
  expect(await output("ls > list; cat list")).toBe("list\n");
  expect(await output("echo x > a; cat a > a; stat -c %s a")).toBe("0\n");
  expect(await output("echo x > a; test -s a > a || echo empty")).toBe("empty\n");
  expect(await output("{ [ -e b ] && echo there; } > b; cat b")).toBe("there\n");
  expect(await output("mv list other > log; ls")).toBe("a\nb\nlog\nother\n");
});

test("a command that prints nothing leaves an empty file", async () => {
  expect(await output("echo x > a; true > a; : > b; > c; stat -c '%n %s' a b c")).toBe("a 0\nb 0\nc 0\n");
  await scripts.run("true > last");
  expect(await output("ls")).toBe("a\nb\nc\nlast\n");
});

test("a job's file is there while the job runs", async () => {
  expect(await output("sleep 20 > out & while [ ! -e out ]; do sleep 0.01; done; kill $!; echo seen")).toBe("seen\n");
});

test("a redirection that is not allowed keeps its command from running", async () => {
  const error = "bash: none/a: No such file or directory\n";
  expect(await output('x=1; read x > none/a <<< 2; echo "$? $x"')).toBe(`1 1\n${error}`);
  expect(await output("mkdir d; echo x > d || echo failed")).toBe("failed\nbash: d: Is a directory\n");
  expect(await output("echo x > shut; chmod 400 shut; echo y > shut; echo $?; cat shut")).toBe(
    "1\nx\nbash: shut: Permission denied\n",
  );
});

test("a sourced file reads the stdin of its line", async () => {
  await scripts.run(`printf 'a\\nb\\n' > x; echo 'read -r l; echo "got $l $1"; v=$l' > f`);
  expect(await output(". ./f arg < x")).toBe("got a arg\n");
  expect(await output("source ./f <<< here; echo $v")).toBe("got here \nhere\n");
  expect(await output(". ./f arg < x > out; cat out; . ./f < none; echo $?")).toBe(
    "got a arg\n1\nbash: none: No such file or directory\n",
  );
});
