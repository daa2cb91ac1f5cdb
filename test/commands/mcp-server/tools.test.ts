// gsv as an MCP server: what a client in either protocol can do with processes and files, and what every result keeps to.

import { expect, test } from "bun:test";
import { TestKernel } from "../../support/kernel.ts";
import { connected, ERAS } from "../../support/mcp/gsv-client.ts";

const CURSOR = /\n\(more: call again with cursor "([^"]+)"\)$/;
const RESULT_CHARS_MAX = 40_000;
const RUN = /run ([0-9a-f-]{36})/;
const PID = /task:[a-z0-9]{6}/;
const first = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? pattern.exec(text)?.[0] ?? "";

/** All pages of a tool, each within the limit. */
async function pages(call: (args: object) => Promise<string>): Promise<string[]> {
  const all: string[] = [];
  for (let args = {}; ; ) {
    const page = await call(args);
    expect(page.length).toBeLessThanOrEqual(RESULT_CHARS_MAX);
    all.push(page.replace(CURSOR, ""));
    const cursor = CURSOR.exec(page)?.[1];
    if (cursor === undefined) return all;
    args = { cursor };
  }
}

test.each(ERAS)("%s: a task is delegated: spawn, wait for the answer, go on, read the history", async (era) => {
  await using home = await TestKernel.boot();
  await using it = await connected(home, { era });
  home.model.willNext({ text: "Four." });
  const started = await it.call("spawn_process", { label: "sums", message: "2 + 2?" });
  const [pid, run] = [first(PID, started), first(RUN, started)];
  expect(await it.call("wait", { pid, run })).toBe(`${pid}: ok\n\nFour.`);
  expect(await home.get(pid)).toMatchObject({ label: "sums", owner: "sam", mode: "ask" });
  home.model.will(pid, { text: "Nine." });
  const sent = await it.call("send_message", { pid, message: "3 * 3?" });
  expect(await it.call("wait", { pid, run: first(RUN, sent) })).toBe(`${pid}: ok\n\nNine.`);
  const history = (await it.call("read_history", { pid })).replaceAll(/\[[^\]]+\]/g, "[at]");
  expect(history).toBe(
    "#1 [at] user: 2 + 2?\n#2 [at] assistant: Four.\n#3 [at] user: 3 * 3?\n#4 [at] assistant: Nine.",
  );
  expect(await it.call("read_history", { pid, message: 0 })).toBe("Nine.");
  expect(await it.call("list_processes")).toContain(`${pid}  idle  sums`);
});

test.each(ERAS)("%s: wait returns by itself before clients give up, shows progress, and works again", async (era) => {
  await using home = await TestKernel.boot();
  await using it = await connected(home, { era });
  const pid = await home.task();
  home.model.will(pid, { text: "Done.", hold: true });
  const { runId: run } = await home.send("go", { pid });
  const shown: string[] = [];
  const waiting = it.call("wait", { pid, run }, (message) => shown.push(message));
  await home.holding();
  await home.until("the wait has begun", () => home.clock.isDueWithin(5000));
  for (let at = 0; at < 10; at++) await home.clock.advance(5000);
  expect(await waiting).toBe(`${pid}: still running after 50 s. Call wait again.`);
  expect([shown.length >= 9, shown[0]]).toEqual([true, `${pid} is working, 5 s`]);
  const again = it.call("wait", { pid, run });
  home.model.release();
  expect(await again).toBe(`${pid}: ok\n\nDone.`);
});

test("abort_run ends what an agent does; an aborted run, a killed process and an unknown one have results of their own", async () => {
  await using home = await TestKernel.boot();
  await using it = await connected(home);
  const pid = await home.task();
  home.model.will(pid, { text: "never", hold: true });
  const { runId: run } = await home.send("go", { pid });
  await home.holding();
  expect(await it.call("abort_run", { pid })).toBe(`aborted the run of ${pid}`);
  expect(await it.call("wait", { pid, run })).toStartWith(`${pid}: aborted`);
  expect(await it.call("abort_run", { pid })).toBe(`${pid} does nothing now`);
  await home.sys.call("proc.kill", { pid });
  expect(await it.call("wait", { pid })).toStartWith(`${pid}: killed`);
  expect(await it.call("read_history", { pid: "task:zzzzzz" })).toStartWith("error: no such process: task:zzzzzz");
  expect(await it.call("wait", { pid: "task:zzzzzz", secnds: 3 })).toStartWith('error: unknown argument "secnds"');
});

test("files are read, listed, searched and written, and a directory of this computer only by its workspace", async () => {
  await using home = await TestKernel.boot();
  await using it = await connected(home, { ports: { here: async () => "ws_missing" } });
  expect(await it.call("write_file", { path: "~/plan.md", content: "rent is due\nfriday\n" })).toBe(
    "wrote 19 bytes to /home/sam/plan.md",
  );
  expect(await it.call("read_file", { path: "~/plan.md" })).toBe("rent is due\nfriday");
  expect(await it.call("list_files", { path: "~" })).toMatch(/^0\d{3} 19 \S+Z plan\.md$/m);
  expect(await it.call("search_files", { query: "due" })).toBe("/home/sam/plan.md:1:rent is due");
  expect(await it.call("read_file", { path: "~/none" })).toStartWith("error: ");
  expect(await it.call("spawn_process", { label: "x", workspace: "/etc" })).toStartWith(
    "error: workspace is here, new",
  );
  expect(await it.call("spawn_process", { label: "x", workspace: "here" })).toStartWith("error: ");
});

test("long results come in pages of at most 40,000 characters, which together are the whole", async () => {
  await using home = await TestKernel.boot();
  await using it = await connected(home);
  const lines = Array.from({ length: 9000 }, (_, at) => `line ${at} 🙂`).join("\n");
  await home.sys.call("fs.write", { path: "~/long.txt", content: lines });
  const file = await pages((args) => it.call("read_file", { path: "~/long.txt", ...args }));
  expect([file.length > 2, file.join("\n") === lines]).toEqual([true, true]);
  const pid = await home.task();
  const long = "🙂words ".repeat(8000);
  home.model.will(pid, { text: long }, { text: "short" });
  await home.say("one", { pid });
  await home.say("two", { pid });
  const full = await pages((args) => it.call("read_history", { pid, message: 2, ...args }));
  expect([full.length, full.join("") === long]).toEqual([2, true]);
  const history = (await pages((args) => it.call("read_history", { pid, ...args }))).toReversed().join("\n");
  expect([...history.matchAll(/^#(\d+) /gm)].map(([, id]) => id)).toEqual(["1", "2", "3", "4"]);
  const { runId: run } = await home.send("three", { pid });
  await home.ended(run);
  for (const each of Array.from({ length: 450 }, (_, at) => `~/many/${String(at).padStart(3, "0")}-${"n".repeat(100)}`))
    await home.sys.call("fs.put", { path: each, data: "" }).catch(() => home.sys.call("fs.mkdir", { path: "~/many" }));
  const names = (await pages((args) => it.call("list_files", { path: "~/many", ...args }))).join("\n").split("\n");
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(449);
});

test("the definitions are few, short and in a stable order, and the instructions begin with what matters", async () => {
  await using home = await TestKernel.boot();
  await using it = await connected(home);
  const { tools } = await it.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["list_processes", "spawn_process", "send_message", "wait", "read_history", "abort_run", "list_approvals"],
    ...["read_file", "list_files", "search_files", "write_file"],
  ]);
  const bytes = JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
  expect(Buffer.byteLength(bytes) / 4).toBeLessThanOrEqual(1500);
  const beginning = (it.client.getInstructions() ?? "").slice(0, 512);
  for (const word of ["spawn_process", "wait", "waiting for approval", "person decides"])
    expect(beginning).toContain(word);
});
