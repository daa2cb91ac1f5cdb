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

test("a missing script exits with 3, a mistake in one with 2, and in a shell things are missing as in bash", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.sys.call("fs.write", { path: "~/bad", content: "echo a\nif )\n" });
  const sh = async (...words: string[]) => {
    const { status, stderr } = await (await begin(home, ["sh", ...words], stdinOf("none"), { clock: realClock })).ended;
    return [status, stderr];
  };
  expect(await sh("~/none")).toEqual([3, "gsv: ~/none: No such file or directory\n"]);
  expect(await sh("none")).toEqual([3, "gsv: none: No such file or directory\n"]);
  expect(await sh("~/bad")).toEqual([2, `bash: /home/sam/bad: line 2: ${MISTAKE}`]);
  expect(await sh("-c", ". ~/bad")).toEqual([2, `bash: /home/sam/bad: line 2: ${MISTAKE}`]);
  expect((await sh("-c", "bash ~/bad"))[0]).toBe(2);
  expect(await sh("-c", "none")).toEqual([127, "bash: none: command not found\n"]);
  expect(await sh("-c", "cat none")).toEqual([1, "cat: none: No such file or directory\n"]);
  expect(await sh("-c", "cat < none")).toEqual([1, "bash: none: No such file or directory\n"]);
});
