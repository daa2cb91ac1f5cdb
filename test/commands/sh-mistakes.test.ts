// Errors of scripts: their place, in the words of bash.

import { expect, test } from "bun:test";
import { realClock } from "../../src/lib/clock.ts";
import { stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { begin } from "../support/shell.ts";

const MISTAKE = "syntax error near unexpected token `)'\n";
const LONG = "syntax error: more than 10000 commands; split the script and source the parts\n";

test("an error in a sourced file names the file and line, and so does a file that is too long", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.sys.call("fs.write", { path: "~/bad", content: "echo a\nif )\n" });
  await home.sys.call("fs.write", { path: "~/long", content: "x=1\n".repeat(10_001) });
  const said = async (script: string) => {
    const { ended } = await begin(home, ["sh", "-c", script], stdinOf("none"), { clock: realClock });
    return (await ended).stderr;
  };
  expect(await said("if )")).toBe(`bash: line 1: ${MISTAKE}`);
  expect(await said(". ~/bad")).toBe(`bash: /home/sam/bad: line 2: ${MISTAKE}`);
  expect(await said("cd; source ./long")).toBe(`bash: ./long: line 10001: ${LONG}`);
});
