// Heavy messages: limits of one call, pages of history that fit a frame, and long texts in pieces.

import { expect, onTestFinished, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { ShownApproval } from "../../src/syscalls/approval/hil.ts";
import type { ArchivePage, Closed, HistoryPage, MessageText } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

const NINE_MB = 9_000_000;

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function outputs(page: HistoryPage): string[] {
  return page.messages.flatMap((message) => (message.role === "toolResult" ? [message.content.output] : []));
}

test("a call with too heavy arguments is not carried out, and the model gets advice", async () => {
  await using home = await TestKernel.boot();
  const args = { path: "~/big.txt", content: "x".repeat(NINE_MB) };
  home.model.will(INIT, { calls: [{ name: "Write", args }] }, { text: "in pieces then" });
  expect((await home.say("go")).status).toBe("ok");
  const page = await home.sys.call<HistoryPage>("proc.history", {});
  expect(outputs(page)).toEqual([expect.stringMatching(/^EFBIG: Write did not run: .* 9000\d+ bytes\.\n/)]);
  expect(outputs(page)[0]).toContain("add each further part with Edit");
  expect(bytesOf(page)).toBeLessThan(16 * 1024);
  expect(bytesOf(home.model.asked(INIT).at(-1)?.messages)).toBeLessThan(16 * 1024);
  expect((await home.refusal("fs.read", { path: "~/big.txt" })).code).toBe("ENOENT");
});

test("a call that is refused for its size asks for no approval", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "x".repeat(NINE_MB) } }] });
  expect((await home.say("go")).status).toBe("ok");
  expect(home.heard("chat.hil")).toEqual([]);
});

test("the calls of one turn share a size limit: those that fit run, in order", async () => {
  await using home = await TestKernel.boot();
  const content = "x".repeat(200 * 1024);
  const calls = ["a", "b", "c", "d"].map((name) => ({ name: "Write", args: { path: `~/${name}`, content } }));
  home.model.will(INIT, { calls: [...calls, { name: "Read", args: { path: "/proc/version" } }] });
  await home.say("go");
  expect((await home.outline(INIT)).slice(2)).toEqual([
    "Write: completed",
    "Write: completed",
    "Write: failed",
    "Write: failed",
    "Read: completed",
    "assistant: done",
  ]);
});

test("every page of a heavy history fits a frame, and together they are the history", async () => {
  await using home = await TestKernel.boot();
  // In JSON each of these takes six bytes.
  const long = "\u0001".repeat(300_000);
  home.model.will(INIT, { text: long }, { text: long }, { text: "x".repeat(3_000_000) });
  for (const message of ["one", "two", "three"]) await home.say(message);
  const seen: number[] = [];
  for (let afterSeq = 0, more = true; more; ) {
    const page = await home.sys.call<HistoryPage>("proc.history", { afterSeq, limit: 500 });
    expect(bytesOf(page)).toBeLessThan(LIMITS.frameBytesMax);
    seen.push(...page.messages.map(({ id }) => id));
    expect(page.inPart).toEqual(page.messages.filter(({ role }) => role === "assistant").map(({ id }) => id));
    afterSeq = seen.at(-1) ?? 0;
    more = page.hasMoreAfter;
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

test("a text of any length can be read in pieces that fit a frame; the default is the newest answer", async () => {
  await using home = await TestKernel.boot();
  const long = `${"\u0001😀".repeat(100_000)}end`;
  home.model.will(INIT, { text: long });
  await home.say("go");
  let read = "";
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: MessageText = await home.sys.call("proc.message", { offset });
    expect(piece.seq).toBe(2);
    expect(bytesOf(piece)).toBeLessThan(LIMITS.frameBytesMax);
    read += piece.text;
    offset = piece.next;
  }
  expect(read).toBe(long);
  expect(await home.sys.call<MessageText>("proc.message", { seq: 1 })).toMatchObject({ text: "go", next: null });
  expect(await home.refusal("proc.message", { seq: 9 })).toMatchObject({ code: "ENOENT" });
  const pid = await home.task();
  expect((await home.refusal("proc.message", { pid })).message).toContain("has not answered yet");
});

test("wait marks an answer that it returns only in part", async () => {
  await using home = await TestKernel.boot();
  // Text that no model has room for is summarized before the next answer.
  home.model.will(INIT, { text: "x".repeat(5_000_000) }, { text: "## Task\nGo." }, { text: "short" });
  await home.say("go");
  const result = await home.wait(INIT);
  expect(bytesOf(result)).toBeLessThan(LIMITS.frameBytesMax);
  expect(result.inPart).toBe(true);
  await home.say("go");
  expect(await home.wait(INIT)).toMatchObject({ text: "short", inPart: false });
});

test("a heavy history is archived whole, and a record that is too long is marked as partial", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "\u0001".repeat(300_000) }, { text: "x".repeat(3_000_000) });
  for (const message of ["one", "two"]) await home.say(message);
  const { archiveId: id, archivedMessages } = await home.sys.call<Closed>("proc.reset", {});
  expect(archivedMessages).toBe(4);
  const inPart: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: ArchivePage = await home.sys.call("archive.show", { id, after });
    expect(bytesOf(page)).toBeLessThan(LIMITS.frameBytesMax);
    inPart.push(...page.inPart);
    after = page.next;
  }
  expect(inPart).toEqual([2, 4]);
});

test("the listed size of an approval is bounded, whatever its arguments contain", async () => {
  await using home = await TestKernel.boot();
  const args = { path: "~/context.d/a.md", content: "\u0001".repeat(40_000) };
  home.model.will(INIT, { calls: [{ name: "Write", args }] });
  await home.send("go");
  await home.inState(INIT, "waiting_hil");
  const list = (query: object) => home.sys.call<{ approvals: ShownApproval[] }>("hil.list", query);
  const [listed] = (await list({})).approvals;
  expect(bytesOf(listed)).toBeLessThan(40 * 1024);
  expect(listed?.inPart).toBe(true);
  // Requested alone it is complete: approvers can see everything.
  expect((await list({ id: listed?.id })).approvals).toMatchObject([{ id: listed?.id, args, inPart: false }]);
  await home.sys.call("hil.answer", { id: listed?.id, decision: "deny" });
  expect((await home.refusal("hil.list", { id: listed?.id })).code).toBe("ENOENT");
});

test("a script keeps its place in a history although the model sees only the end of it", async () => {
  const directory = scratchDirectory("script");
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "answers.jsonl");
  await using home = await TestKernel.boot({ realProviders: true, env: { GSV_MODEL: `script:${file}` } });
  const long = "x".repeat(400_000);
  const lines = [
    ...[1, 2, 3, 4, 5].map((n) => ({ text: `${long} ${n} of {{n}}` })),
    { when: "go on", text: `twice ${long}`, repeat: 2 },
    { text: "six of {{n}}: {{last}}" },
  ];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  const said: string[] = [];
  for (const message of ["one", "two", "go on", "go on", "three", "four", "five", "last"]) {
    said.push((await home.say(message)).text?.replace(long, "…") ?? "");
  }
  expect(said).toEqual([
    "… 1 of 1",
    "… 2 of 2",
    "twice …",
    "twice …",
    "… 3 of 5",
    "… 4 of 6",
    "… 5 of 7",
    "six of 8: last",
  ]);
});
