// The tool calls of a turn: in order, each with exactly one result, and errors with advice.

import { expect, test } from "bun:test";
import { separateStores } from "../../fs/memory.ts";
import { Namespace } from "../../fs/namespace.ts";
import { objectsFs } from "../../fs/objects.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { KeptResults } from "../../src/kernel/files/kept-results.ts";
import type { PlannedCall } from "../support/answers.ts";
import { sam } from "../support/caller.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { memoryMount } from "../support/memoryfs.ts";

const ANYBODYS = { uid: 0, gid: 0, mode: 0o1777 };

interface Result {
  readonly outcome: string;
  readonly isError: boolean;
  readonly output: string;
}

/** The model's view of these calls. */
async function results(home: TestKernel, ...calls: PlannedCall[]): Promise<Result[]> {
  home.model.will(INIT, { calls });
  const { run } = await home.say("go");
  return (await home.messages(INIT)).flatMap((message) =>
    message.role === "toolResult" && message.runId === run ? [message.content] : [],
  );
}

test("calls run one after the other in the order of the model, and each has one result", async () => {
  await using home = await TestKernel.boot();
  const path = "~/count.txt";
  const told = await results(
    home,
    { name: "Write", args: { path, content: "one" } },
    { name: "Edit", args: { path, oldString: "one", newString: "two" } },
    { name: "Read", args: { path } },
    { name: "Search", args: { query: "two", path } },
    { name: "Read", args: { path: "~/none" } },
  );
  expect(told.map(({ outcome }) => outcome)).toEqual(["completed", "completed", "completed", "completed", "failed"]);
  expect(told.map(({ output }) => output.split("\n")[0])).toEqual([
    "wrote 3 bytes to /home/sam/count.txt",
    "replaced 1 in /home/sam/count.txt, at line 1",
    expect.stringContaining("two"),
    "/home/sam/count.txt:1:two",
    "ENOENT: cannot read /home/sam/none: no such file or directory",
  ]);
  const calls = home.heard("chat.tool_call").map((signal) => signal.callId);
  expect(home.heard("chat.tool_result").map((signal) => signal.callId)).toEqual(calls);
});

test("the state of a process is waiting_tool during a tool call, and running in between", async () => {
  await using home = await TestKernel.boot();
  await results(home, { name: "Read", args: { path: "/proc/version" } });
  const states = home.heard("process.state").map(({ state }) => state);
  expect(states).toEqual(["queued", "running", "waiting_tool", "running", "idle"]);
});

const WRONG: { readonly [what: string]: readonly [PlannedCall, RegExp] } = {
  "a tool there is not": [
    { name: "Browse" },
    /^unknown tool Browse; available: Read, Write, Edit, Delete, Search, Ask, Shell, CodeMode, Fetch, Send, Call\.$/,
  ],
  "a property of every object as a tool": [{ name: "__proto__" }, /^unknown tool __proto__; /],
  "a syscall that is no tool": [
    { name: "hil.answer", args: { id: "abcd", decision: "approve" } },
    /^unknown tool hil\.answer; /,
  ],
  "an argument that is missing": [
    { name: "Write", args: { path: "~/a" } },
    /^EINVAL: content is missing\nfull content$/,
  ],
  "an argument there is not": [
    { name: "Read", args: { path: "~/a", lines: 3 } },
    /^EINVAL: unknown argument "lines"\nvalid arguments: path, target, offset, limit$/,
  ],
  "an argument of another kind": [{ name: "Read", args: { path: 7 } }, /^EINVAL: path must be a path, not 7$/],
  "a number as text": [
    { name: "Read", args: { path: "~", limit: "3" } },
    /^EINVAL: limit must be a whole number from 1/,
  ],
  "a machine there is not": [
    { name: "Read", args: { path: "~", target: "mars" } },
    /^EINVAL: target must be one of gsv, host, not "mars"$/,
  ],
  "a text that is not in the file": [
    { name: "Edit", args: { path: "~/real.txt", oldString: "nowhere", newString: "x" } },
    /^\w+: cannot edit \/home\/sam\/real\.txt: /,
  ],
  "a directory to write": [{ name: "Write", args: { path: "/dev", content: "x" } }, /^\w+: cannot write \/dev: /],
  "somebody else's directory": [
    { name: "Write", args: { path: "/root/x", content: "x" } },
    /^EACCES: cannot write \/root/,
  ],
};

for (const [what, [call, told]] of Object.entries(WRONG)) {
  test(`${what} is a result that the model can fix, and the run continues`, async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("fs.write", { path: "~/real.txt", content: "real" });
    const [result] = await results(home, call);
    expect(result?.outcome).toBe("failed");
    expect(result?.isError).toBe(true);
    expect(result?.output).toMatch(told);
    expect(home.heard("chat.complete")).toMatchObject([{ status: "ok", text: "done" }]);
    const [called, answered] = [home.heard("chat.tool_call"), home.heard("chat.tool_result")];
    expect(called.map(({ callId, tool }) => [callId, tool])).toEqual(
      answered.map(({ callId, tool }) => [callId, tool]),
    );
    expect(answered).toMatchObject([{ ok: false, tool: call.name }]);
  });
}

test("an invalid call fails before any request for approval", async () => {
  await using home = await TestKernel.boot();
  const [result] = await results(home, { name: "Delete", args: { file: "~/a" } });
  expect(result?.output).toMatch(/^EINVAL: unknown argument "file"/);
  expect(home.heard("chat.hil")).toEqual([]);
});

test("a long result is cut in its middle at whole characters, and the file it names has all of it", async () => {
  await using home = await TestKernel.boot();
  const line = `${"❄".repeat(99)}\n`;
  await home.sys.call("fs.write", { path: "~/long.txt", content: `first\n${line.repeat(1000)}last\n` });
  const [result] = await results(home, { name: "Search", args: { query: "❄", path: "~/long.txt" } });
  expect(Buffer.byteLength(result?.output ?? "")).toBeLessThanOrEqual(LIMITS.toolOutputBytesMax);
  expect(result?.output).not.toContain("\uFFFD");
  expect(result?.outcome).toBe("completed");
  const path = /\n\(full output: (\/tmp\/result-\S+\.txt)\)$/.exec(result?.output ?? "")?.[1] ?? "";
  const inside = await home.insideOf(INIT);
  const view = await inside.call<{ content: string; lines: number }>("fs.read", { path, offset: 498 });
  expect(view.lines).toBe(501);
  expect(view.content).toStartWith("/home/sam/long.txt:500:❄");
});

test("when there is no room for results, the oldest are deleted", async () => {
  await using home = await TestKernel.boot();
  const namespace = new Namespace([
    { at: "/", fs: memoryMount(0o755) },
    { at: "/tmp", fs: objectsFs({ storeOf: separateStores(() => 1, 3000), clock: home.clock, root: ANYBODYS }) },
  ]);
  const kept = new KeptResults(namespace);
  const ids = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-0000-7000-8000-000000000000`);
  for (const id of ids) {
    expect(await kept.keep(sam, "result", id, [Buffer.alloc(900)])).toBe(`/tmp/result-${id}.txt`);
    await home.clock.advance(1000);
  }
  expect((await namespace.list(sam, "/tmp")).map(({ name }) => name)).toEqual(
    ids.slice(1).map((id) => `result-${id}.txt`),
  );
  expect(await kept.keep(sam, "result", ids[0]!, [Buffer.alloc(9000)])).toBeNull();
});

test("lines that exceed one result can be read on from their end", async () => {
  await using home = await TestKernel.boot();
  const content = Array.from({ length: 40 }, (_, index) => `${index} ${"x".repeat(2000)}`).join("\n");
  await home.sys.call("fs.write", { path: "~/wide.txt", content });
  const seen: string[] = [];
  for (let offset = 0, more = true; more; ) {
    const [result] = await results(home, { name: "Read", args: { path: "~/wide.txt", offset } });
    const { output = "" } = result ?? {};
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(LIMITS.toolOutputBytesMax);
    seen.push(...output.matchAll(/\t(\d+) x/g).map(([, number]) => number ?? ""));
    const next = /continue with offset (\d+)\)$/.exec(output)?.[1];
    more = next !== undefined;
    offset = Number(next);
  }
  expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => String(index)));
});

test("an edit of a file changed by others is refused until it is read again; your own changes count as read", async () => {
  await using home = await TestKernel.boot();
  const path = "~/shared.txt";
  const edit = (oldString: string, newString: string) => ({ name: "Edit", args: { path, oldString, newString } });
  await home.sys.call("fs.write", { path, content: "one\n" });
  await results(home, { name: "Read", args: { path } });
  await home.sys.call("fs.write", { path, content: "one\ntwo, by sam\n" });
  const told = await results(
    home,
    edit("one", "1"),
    { name: "Read", args: { path } },
    edit("one", "1"),
    edit("1", "I"),
  );
  expect(told.map(({ output }) => output.split("\n")[0])).toEqual([
    expect.stringMatching(
      /^ESTALE: cannot edit \/home\/sam\/shared.txt: sam changed it at \S+Z, after you read it$/,
    ) as never,
    "     1\tone",
    "replaced 1 in /home/sam/shared.txt, at line 1",
    "replaced 1 in /home/sam/shared.txt, at line 1",
  ]);
});

test("the agent's tools are exactly the file tools, the shell, web pages and messages, each with a description and parameters", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  const tools = home.model.requests[0]?.tools ?? [];
  expect(tools.map(({ name }) => name)).toEqual([
    "Read",
    "Write",
    "Edit",
    "Delete",
    "Search",
    "Ask",
    "Shell",
    "CodeMode",
    "Fetch",
    "Send",
    "Call",
  ]);
  for (const { description, parameters } of tools) {
    expect(description).not.toBe("");
    expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
  }
});

test("relative paths and ~ are the owner's, wherever the process was started", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.mkdir", { path: "~/project" });
  const pid = await home.task({ cwd: "~/project" });
  const calls = ["notes.md", "./deep/er.md", "../up.md", "~/home.md"].map((path) => ({
    name: "Write",
    args: { path, content: "x" },
  }));
  home.model.will(pid, { calls });
  await home.say("write", { pid });
  const written = (await home.messages(pid)).flatMap((message) =>
    message.role === "toolResult" ? [message.content.output] : [],
  );
  expect(written).toEqual(
    ["project/notes.md", "project/deep/er.md", "up.md", "home.md"].map((path) => `wrote 1 bytes to /home/sam/${path}`),
  );
});

test("a file longer than one Read shows its line numbers and how to continue, down to the end", async () => {
  await using home = await TestKernel.boot();
  const lines = Array.from({ length: 4500 }, (_, index) => `${index}`);
  await home.sys.call("fs.write", { path: "~/long.txt", content: lines.join("\n") });
  const read = (args: object) => results(home, { name: "Read", args: { path: "~/long.txt", ...args } });
  const last = async (args: object) => (await read(args))[0]?.output.split("\n").at(-1);
  expect(await last({})).toBe("(lines 1 to 2000 of 4500; continue with offset 2000)");
  expect(await last({ offset: 2000 })).toBe("(lines 2001 to 4000 of 4500; continue with offset 4000)");
  expect(await last({ offset: 4000 })).toBe("  4500\t4499");
  expect(await last({ offset: 10, limit: 2 })).toBe("(lines 11 to 12 of 4500; continue with offset 12)");
});
