// Ends of lines that are typed at the prompt: nothing of a line reaches what the shell runs after it, and the state is kept.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { HOME, Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());

beforeEach(async () => {
  await scripts.reset(["/home", HOME, "/d"]);
  await scripts.files.write("/d/x", Buffer.from("text"), "start");
});

const ENDS: { readonly [line: string]: readonly [status: number, stdout: string, stderr: RegExp] } = {
  "find x\\": [0, "x\n", /^$/],
  "echo x\\": [0, "x\n", /^$/],
  "echo x \\": [0, "x\n", /^$/],
  "cat <<E": [0, "", /^$/],
  "cat <<E\none\ntwo": [0, "one\ntwo\n", /^$/],
  "cat <<'E' | tr a-z A-Z\none": [0, "ONE\n", /^$/],
  "echo one # two \\": [0, "one\n", /^$/],
  "echo 'x": [2, "", /unexpected EOF|unterminated/i],
  "(exit 4)": [4, "", /^$/],
};

test("an open end of a line takes in nothing of the shell's own, and the next line has the state", async () => {
  const first = await scripts.line("v=kept; cd /", null);
  for (const [line, [status, stdout, stderr]] of Object.entries(ENDS)) {
    const begun = await scripts.line("cd /d", first.state);
    const ended = await scripts.line(line, begun.state);
    expect([line, ended.exit, ended.stdout, ended.stderr]).toEqual([
      line,
      status,
      stdout,
      expect.stringMatching(stderr),
    ]);
    if (ended.cut) continue;
    const next = await scripts.line('echo "$? $v $PWD"', ended.state);
    expect([line, next.stdout, next.stderr]).toEqual([line, `${status} kept /d\n`, ""]);
  }
});
