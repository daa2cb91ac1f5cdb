// /proc/PID/stream: the text of a process and the output of its commands, live, for each reader.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import { realClock } from "../../src/lib/clock.ts";
import type { Piece } from "../../src/syscalls/fs/fs-tree.ts";
import { TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { begin } from "../support/shell.ts";

const work = join(scratchDirectory("stream"), "work");
mkdirSync(work);
let home: TestKernel;
let pid: string;
let at = 0;

beforeAll(async () => {
  home = await TestKernel.boot({ cwd: work, realTime: true });
  pid = await home.task();
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  rmSync(join(work, ".."), { recursive: true, force: true });
});

async function readOn(offset: number): Promise<string> {
  const { data } = await home.sys.call<Piece>("fs.get", { path: `/proc/${pid}/stream`, offset });
  return Buffer.from(data, "base64").toString();
}

/** Reads until exactly this text has come. */
async function comes(text: string): Promise<void> {
  let come = "";
  await home.until(`it says ${JSON.stringify(text)}: ${JSON.stringify(come)}`, async () => {
    come += await readOn(at + Buffer.byteLength(come));
    if (!text.startsWith(come)) throw new Error(`it says ${JSON.stringify(come)}, not ${JSON.stringify(text)}`);
    return come === text;
  });
  at += Buffer.byteLength(text);
}

async function allows(): Promise<void> {
  let asked: Approval | undefined;
  await home.until("it asks", async () => {
    asked = (await home.sys.call<{ approvals: readonly Approval[] }>("hil.list", {})).approvals[0];
    return asked !== undefined;
  });
  await home.sys.call("hil.answer", { id: asked?.id, decision: "approve" });
}

test("text streams as the model sends it, output as the command prints it, also of a background command", async () => {
  const command = "echo first; while [ ! -e go ]; do sleep 0.02; done; printf 'half'; exit 3";
  home.model.will(
    pid,
    {
      pieces: ["Let me \u{1F600}", " look."],
      pause: true,
      calls: [{ name: "Shell", args: { command: "echo one; false" } }],
    },
    { calls: [{ name: "Shell", args: { target: "host", command, cwd: work, waitMs: 0 } }] },
    {
      hold: true,
      pieces: ["It runs", " on."],
      pause: true,
      calls: [{ name: "Shell", args: { command: "echo between" } }],
    },
    { text: "Done.", hold: true },
  );
  await home.send("go", { pid });
  await comes("Let me \u{1F600}");
  // A new reader gets it from the beginning.
  expect(await readOn(0)).toBe("Let me \u{1F600}");
  await home.holding();
  home.model.release();
  await comes(" look.\n$ echo one; false\none\n(exit status 1)\n");
  await allows();
  await comes(`$ ${command}\nfirst\n`);
  await home.holding();
  home.model.release();
  await comes("It runs");
  writeFileSync(join(work, "go"), "");
  await comes("\nhalf\n(exit status 3)\n");
  home.model.release();
  await comes(" on.\n$ echo between\nbetween\n(exit status 0)\n");
  await home.holding();
  home.model.release();
  await comes("Done.");
  await home.inState(pid, "idle");
  // A reader that stays gets the next run, too; a new reader gets only that run once the others are gone.
  home.model.will(pid, { text: "Again." });
  await home.send("again", { pid });
  await comes("\nAgain.");
});

test("an agent that reads its own stream does not cause an echo", async () => {
  home.model.will(pid, { text: "I read.", calls: [{ name: "Shell", args: { command: "cat /proc/self/stream" } }] });
  await home.send("read", { pid });
  await home.inState(pid, "idle");
  const results = (await home.messages(pid)).flatMap((each) =>
    each.role === "toolResult" ? [each.content.output] : [],
  );
  expect(results.at(-1)).toBe("I read.\n(exit status 0)");
});

test("gsv tail prints the end, and with -f new text, with a title for each of several processes", async () => {
  const other = await home.task();
  const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n}\n`).join("");
  await home.sys.call("fs.write", { path: "~/long", content: lines });
  const ended = async (...argv: string[]) => await (await begin(home, argv, undefined, { clock: realClock })).ended;
  expect((await ended("tail", "-n", "2", "~/long")).stdout).toBe("line 29998\nline 29999\n");
  expect((await ended("tail", "-n", "0", "~/long")).stdout).toBe("");
  expect(`${(await ended("tail", "-n", "20000", "~/long")).stdout.split("\n").length}`).toBe("20001");
  expect(await ended("tail", "~/none")).toMatchObject({ status: 3, stderr: expect.stringContaining("No such file") });
  await home.sys.call("fs.write", { path: "~/short", content: "one\n" });
  const following = await begin(home, ["tail", "-f", "~/short", `/proc/${other}/stream`], undefined, {
    clock: realClock,
  });
  const { stdout } = following;
  await home.until("it has begun", () => stdout.text.includes("/stream <=="));
  home.model.will(other, { pieces: ["So ", "it is."], pause: true });
  await home.send("go", { pid: other });
  await home.until("text comes", () => stdout.text.endsWith("So "));
  await home.sys.call("fs.put", { path: "~/short", data: Buffer.from("two\n").toString("base64"), at: "end" });
  await home.until("a line comes", () => stdout.text.endsWith("==> ~/short <==\ntwo\n"));
  home.model.release();
  await home.until("the rest comes", () => stdout.text.endsWith("it is."));
  // Reading restarts when a file is truncated.
  await home.sys.call("fs.write", { path: "~/short", content: "new\n" });
  await home.until("it is cut", () => stdout.text.endsWith("new\n"));
  following.interrupt("INT");
  expect((await following.ended).status).toBe(130);
});
