// Rewinding a process to an earlier message: models do not see later messages, files are as they were, nothing is lost, and it can be
// undone.

import { expect, test } from "bun:test";
import type { Undone } from "../../src/abi/process/undo.ts";
import { TestKernel } from "../support/kernel.ts";
import { changesIn, diesIn, undo, write } from "../support/worker.ts";

const toldTo = (home: TestKernel, pid: string) =>
  (home.model.asked(pid).at(-1)?.messages ?? []).map((message) =>
    message.role === "assistant" ? message.content.text : message.role === "toolResult" ? "result" : message.content,
  );

async function talked(home: TestKernel): Promise<{ pid: string; read: () => Promise<string> }> {
  const { pid, workspaceId } = await home.spawn({ workspace: "new" });
  home.model.will(pid, { text: "Yes?" });
  await home.say("hello", { pid });
  home.model.will(pid, { text: "I write.", calls: [write("plan.md", "one\n")] }, { text: "Written." });
  await home.say("write the plan", { pid });
  const path = `/workspaces/${workspaceId}/plan.md`;
  const read = async () =>
    (await home.sys.call<{ content: string }>("fs.read", { path }).catch(() => ({ content: "gone" }))).content;
  return { pid, read };
}

test("a rewind restores history and files as of a message; nothing is lost, and an undo brings all back", async () => {
  await using home = await TestKernel.boot();
  const { pid, read } = await talked(home);
  const done = await home.sys.call<Undone>("proc.rewind", { pid, message: 2 });
  expect(done).toMatchObject({ rewound: 2, redo: `gsv undo ${pid} --redo` });
  expect([changesIn(done), await read()]).toEqual([["removed plan.md"], "gone"]);
  await home.say("what now?", { pid });
  const note = "[rewound] sam rewound this conversation to message 2. 1 file was restored.";
  expect(toldTo(home, pid)).toEqual(["hello", "Yes?", note, "what now?"]);
  const all = await home.messages(pid);
  expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
  expect(await home.outline(pid)).toContain("user: write the plan");
  await undo(home, pid, { redo: true });
  expect(await read()).toBe("one");
  await home.say("and now?", { pid });
  expect(toldTo(home, pid)).toEqual([
    ...["hello", "Yes?", "write the plan", "I write.", "result", "Written.", "what now?", "done", "and now?"],
  ]);
});

test("a rewind can be limited to history or files", async () => {
  await using home = await TestKernel.boot();
  const { pid, read } = await talked(home);
  await home.sys.call("proc.rewind", { pid, message: 2, what: "files" });
  expect(await read()).toBe("gone");
  await undo(home, pid, { redo: true });
  await home.sys.call("proc.rewind", { pid, message: 0, what: "history" });
  expect(await read()).toBe("one");
  await home.say("who are you?", { pid });
  expect(toldTo(home, pid)).toEqual([
    "[rewound] sam rewound this conversation to its start. Files are unchanged.",
    "who are you?",
  ]);
});

test("a rewind never cuts between a call and its result, and names the possible cuts", async () => {
  await using home = await TestKernel.boot();
  const { pid, read } = await talked(home);
  const refused = await home.refusal("proc.rewind", { pid, message: 4 });
  expect(refused.message).toBe(`message 4 in ${pid} lies between a call and its result`);
  expect(refused.hints).toEqual(["use 3 or 5 instead"]);
  expect((await home.refusal("proc.rewind", { pid, message: 6 })).message).toContain("is already the newest");
  expect((await home.refusal("proc.rewind", { pid, message: 60 })).code).toBe("ENOENT");
  expect(await read()).toBe("one");
});

test("a rewind during which a kernel died is completed by the next one: files and history", async () => {
  await using home = await TestKernel.boot();
  const { pid, read } = await talked(home);
  await home.sys.call("proc.rewind", { pid, message: 2 });
  const [done] = await home.stores.processes.undos(pid);
  if (done === undefined) throw new Error("nothing was stored");
  await undo(home, pid, { redo: true });
  await diesIn(home, pid, done);
  await home.say("and now?", { pid });
  expect(await read()).toBe("gone");
  expect(toldTo(home, pid)).not.toContain("write the plan");
});

test("a rewind removes a summary of later messages, and keeps an earlier one", async () => {
  await using home = await TestKernel.boot();
  const { pid } = await talked(home);
  await home.say("more", { pid });
  await home.sys.call("proc.compact", { pid, keep: 1 });
  await home.sys.call("proc.rewind", { pid, message: 2, what: "history" });
  await home.say("what now?", { pid });
  expect(toldTo(home, pid).slice(0, 2)).toEqual(["hello", "Yes?"]);
  await undo(home, pid, { redo: true });
  await home.say("and now?", { pid });
  expect(toldTo(home, pid)[0]).toStartWith("[compacted]");
});
