// Calls of one turn that need approval are asked together, as one stack. Each is answered on its own, and they run in the order of the model.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

const DONE = { text: "gone on" };

function deletion(...names: readonly string[]) {
  return names.map((name) => ({ name: "Delete", args: { path: `~/${name}` } }));
}

async function open(home: TestKernel): Promise<readonly Approval[]> {
  return (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
}

async function write(home: TestKernel, ...names: readonly string[]): Promise<void> {
  for (const name of names) await home.sys.call("fs.write", { path: `~/${name}`, content: "one\ntwo\n" });
}

type Calls = readonly { readonly name: string; readonly args: object }[];

/** The requests that a turn with these calls makes at once. */
async function stack(home: TestKernel, calls: Calls): Promise<{ readonly run: string; readonly asks: Approval[] }> {
  home.model.will(INIT, { calls: [...calls] }, DONE);
  const { runId } = await home.send("go");
  await home.inState(INIT, "waiting_hil");
  return { run: runId, asks: [...(await open(home))] };
}

function answer(home: TestKernel, asked: Approval | undefined, decision: string, more: object = {}): Promise<Approval> {
  return home.sys.call("hil.answer", { id: asked?.id ?? "", decision, hash: asked?.hash, ...more });
}

async function results(home: TestKernel): Promise<readonly string[]> {
  return (await home.outline(INIT)).slice(2);
}

async function textAt(home: TestKernel, path: string): Promise<string> {
  return (await home.sys.call<{ content: string }>("fs.read", { path })).content;
}

const pathsOf = (asks: readonly Approval[]) => asks.map(({ args }) => args.path);

test("the calls of a turn are asked at once, and a denied one gets its result in its place", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b", "c");
  const { run, asks } = await stack(home, deletion("a", "b", "c"));
  expect(pathsOf(asks)).toEqual(["~/a", "~/b", "~/c"]);
  expect(home.heard("chat.hil", run).map(({ id }) => id)).toEqual(asks.map(({ id }) => id));
  await answer(home, asks[2], "deny");
  await answer(home, asks[1], "approve");
  expect(await results(home)).toEqual([]);
  expect((await home.get(INIT)).waitsFor).toMatchObject({ id: asks[0]?.id });
  await answer(home, asks[0], "deny");
  expect(await home.ended(run)).toMatchObject({ status: "ok", text: "gone on" });
  expect(await results(home)).toEqual(["Delete: denied", "Delete: completed", "Delete: denied", "assistant: gone on"]);
});

test("a call runs as soon as it and those before it are decided, and the run waits for the next one again", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b", "c", "d");
  const read = { name: "Read", args: { path: "~/d" } };
  const [a, b, c] = deletion("a", "b", "c");
  const { run, asks } = await stack(home, [a!, read, b!, c!]);
  await answer(home, asks[0], "approve");
  await home.until("the run waits for the second", async () => {
    const { state, waitsFor } = await home.get(INIT);
    return state === "waiting_hil" && waitsFor?.kind === "approval" && waitsFor.id === asks[1]?.id;
  });
  expect(await results(home)).toEqual(["Delete: completed", "Read: completed"]);
  expect(pathsOf(await open(home))).toEqual(["~/b", "~/c"]);
  await answer(home, asks[2], "approve");
  expect((await results(home)).length).toBe(2);
  await answer(home, asks[1], "deny");
  expect(await home.ended(run)).toMatchObject({ status: "ok" });
  expect((await results(home)).slice(2)).toEqual(["Delete: denied", "Delete: completed", "assistant: gone on"]);
  expect(home.heard("chat.hil", run)).toHaveLength(3);
});

test("answers that come while an earlier call runs are stored, and count when their turn comes", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await write(home, "b", "c", "go");
  const wait = { name: "Shell", args: { command: "rm go; until [ -e done ]; do sleep 0.02; done", target: "gsv" } };
  const { run, asks } = await stack(home, [wait, ...deletion("b", "c")]);
  await answer(home, asks[0], "approve");
  await home.inState(INIT, "waiting_tool");
  await answer(home, asks[2], "deny");
  await answer(home, asks[1], "approve");
  expect([(await home.get(INIT)).state, await results(home), await open(home)]).toEqual(["waiting_tool", [], []]);
  await write(home, "done");
  await home.ended(run);
  expect(await results(home)).toEqual([
    "Shell: completed",
    "Delete: completed",
    "Delete: denied",
    "assistant: gone on",
  ]);
});

test("an abort while an approved call runs withdraws the requests after it", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await write(home, "b", "go");
  const wait = { name: "Shell", args: { command: "rm go; sleep 60", target: "gsv" } };
  const { run, asks } = await stack(home, [wait, ...deletion("b")]);
  await answer(home, asks[0], "approve");
  await home.inState(INIT, "waiting_tool");
  await home.sys.call("proc.abort", { pid: INIT });
  expect(await home.ended(run)).toMatchObject({ status: "aborted" });
  expect(await open(home)).toEqual([]);
  expect((await results(home)).map((line) => line.split(": ")[0])).toEqual(["Shell", "Delete"]);
  expect((await textAt(home, "~/b")).length).toBeGreaterThan(0);
});

test("calls between them that need no approval wait for their turn", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b");
  const read = { name: "Read", args: { path: "~/a" } };
  const [a, b] = deletion("a", "b");
  const { run, asks } = await stack(home, [read, a!, read, b!]);
  expect(pathsOf(asks)).toEqual(["~/a", "~/b"]);
  for (const each of asks) await answer(home, each, "approve");
  await home.ended(run);
  expect(await results(home)).toEqual([
    "Read: completed",
    "Delete: completed",
    "Read: failed",
    "Delete: completed",
    "assistant: gone on",
  ]);
});

test("a second change of one file is asked when the first was made, with the diff that it then has", async () => {
  await using home = await TestKernel.boot();
  const path = "~/context.d/rules.md";
  await write(home, "context.d/rules.md", "a");
  const edit = (oldString: string, newString: string) => ({ name: "Edit", args: { path, oldString, newString } });
  const [other] = deletion("a");
  const { run, asks } = await stack(home, [
    { name: "Read", args: { path } },
    edit("one", "1"),
    edit("two", "2"),
    other!,
  ]);
  expect(asks.map(({ tool }) => tool)).toEqual(["Edit", "Delete"]);
  for (const each of asks) await answer(home, each, "approve");
  await home.until("the second edit asks", async () => (await open(home)).length === 1);
  const [second] = await open(home);
  expect(second?.about?.diff).toContain(" 1\n-two\n+2\n");
  await answer(home, second, "approve");
  await home.ended(run);
  expect(await textAt(home, path)).toBe("1\n2");
});

test("an approval counts no more if an earlier call has changed what it would do: it is asked again", async () => {
  await using home = await TestKernel.boot();
  await write(home, "context.d/a", "context.d/b", "old");
  const path = "~/context.d/b";
  const [first] = deletion("old");
  const shell = { name: "Shell", args: { command: "rm context.d/a; echo three >> context.d/b", target: "gsv" } };
  const { run, asks } = await stack(home, [
    { name: "Read", args: { path } },
    first!,
    shell,
    { name: "Edit", args: { path, oldString: "one", newString: "1" } },
  ]);
  expect(asks.map(({ tool }) => tool)).toEqual(["Delete", "Shell", "Edit"]);
  for (const each of asks) await answer(home, each, "approve");
  await home.until("the edit comes back", async () => (await open(home)).length === 1);
  expect((await results(home)).slice(1)).toEqual(["Delete: completed", "Shell: completed"]);
  const [again] = await open(home);
  expect(again?.about?.diff).toContain("-one\n+1\n two\n three\n");
  await answer(home, again, "approve");
  await home.ended(run);
  expect(await textAt(home, path)).toBe("1\ntwo\nthree");
});

test("an answer that allows more answers the requests that it covers", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a");
  const fetch = { name: "Fetch", args: { url: "https://example.com/x" } };
  const { asks } = await stack(home, [fetch, fetch, ...deletion("a"), fetch]);
  expect(asks.map(({ tool }) => tool)).toEqual(["Fetch", "Fetch", "Delete", "Fetch"]);
  await answer(home, asks[1], "approve", { always: true });
  expect((await open(home)).map(({ tool }) => tool)).toEqual(["Delete"]);
  expect(home.heard("chat.hil_closed").map(({ decision, by }) => `${decision} ${by}`)).toEqual(
    asks.slice(1).map(() => "approve sam"),
  );
});

test("a question is asked alone, and the calls after it wait for its answer", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b");
  const [a, b] = deletion("a", "b");
  const { asks } = await stack(home, [a!, { name: "Ask", args: { question: "b, too?" } }, b!]);
  expect(asks.map(({ tool }) => tool)).toEqual(["Delete"]);
  await answer(home, asks[0], "approve");
  await home.until("the question", async () => (await open(home))[0]?.kind === "question");
  expect((await open(home)).map(({ tool }) => tool)).toEqual(["Ask"]);
  await answer(home, (await open(home))[0], "answer", { text: "yes", hash: undefined });
  await home.until("the next", async () => (await open(home))[0]?.kind === "approval");
  expect(pathsOf(await open(home))).toEqual(["~/b"]);
});

test("a call after code is asked when the code has run", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b");
  const [a, b] = deletion("a", "b");
  const { asks } = await stack(home, [a!, { name: "CodeMode", args: { code: "return 1" } }, b!]);
  expect(pathsOf(asks)).toEqual(["~/a"]);
  await answer(home, asks[0], "approve");
  await home.until("the next", async () => pathsOf(await open(home))[0] === "~/b");
  expect(await results(home)).toEqual(["Delete: completed", "CodeMode: completed"]);
});

test("a kernel that dies keeps what was answered, and the next one asks only for the rest", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b", "c");
  const { run, asks } = await stack(home, deletion("a", "b", "c"));
  await answer(home, asks[1], "deny");
  await answer(home, asks[0], "approve");
  await home.restart();
  expect(pathsOf(await open(home))).toEqual(["~/c"]);
  await home.until("the first has run", async () => (await results(home)).length === 2);
  expect(await results(home)).toEqual(["Delete: completed", "Delete: denied"]);
  await answer(home, asks[2], "approve");
  expect(await home.wait(INIT, { run })).toMatchObject({ status: "ok", text: "gone on" });
  expect(await results(home)).toEqual([
    "Delete: completed",
    "Delete: denied",
    "Delete: completed",
    "assistant: gone on",
  ]);
});

test("an abort withdraws the whole stack and gives each call one result, in order", async () => {
  await using home = await TestKernel.boot();
  await write(home, "a", "b", "c");
  const { run, asks } = await stack(home, deletion("a", "b", "c"));
  await answer(home, asks[1], "deny");
  await home.sys.call("proc.abort", { pid: INIT });
  expect(await open(home)).toEqual([]);
  expect(home.heard("chat.hil_closed", run).map(({ decision }) => decision)).toEqual([
    "deny",
    "withdrawn",
    "withdrawn",
  ]);
  expect(await results(home)).toEqual(["Delete: cancelled", "Delete: denied", "Delete: cancelled"]);
});

test("an approval that attaches the directory is asked alone: with it, the others need none", async () => {
  const scratch = scratchDirectory("stack");
  writeFileSync(join(scratch, "a.txt"), "a\n");
  writeFileSync(join(scratch, "b.txt"), "b\n");
  await using home = await TestKernel.boot({ realTime: true, cwd: scratch });
  const read = (path: string) => ({ name: "Read", args: { path, target: "host" } });
  const edit = (path: string) => ({ name: "Write", args: { path, content: "new\n", target: "host" } });
  const { run, asks } = await stack(home, [read("a.txt"), read("b.txt"), edit("a.txt"), edit("b.txt"), edit("a.txt")]);
  expect(asks.map(({ tool, args }) => `${tool} ${args.path}`)).toEqual(["Read a.txt"]);
  await answer(home, asks[0], "approve");
  await home.until("the changes ask", async () => (await open(home)).length === 2);
  expect(pathsOf(await open(home))).toEqual(["a.txt", "b.txt"]);
  for (const each of await open(home)) await answer(home, each, "approve");
  await home.until("the second change of a.txt asks", async () => (await open(home)).length === 1);
  await answer(home, (await open(home))[0], "approve");
  await home.ended(run);
  expect((await results(home)).at(-2)).toBe("Write: completed");
});
