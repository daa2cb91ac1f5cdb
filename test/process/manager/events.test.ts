// The events of a session, word for word: an answer, and the sender's cost of a turn in another channel.

import { expect, test } from "bun:test";
import { senderOf } from "../../../src/abi/process/session.ts";
import { ManagedKernel } from "../../support/manager.ts";

test("an answer with a tool sends pieces, the tool and its end, the messages, and the result with its cost", async () => {
  await using it = await ManagedKernel.boot();
  const search = { text: "I look", calls: [{ name: "Search", args: { query: "x" } }] };
  const { session, pid } = await it.talked();
  it.home.model.will(pid, search, { thinking: "hm", text: "found" });
  it.events.splice(0);
  it.manager.resumeProcess(session, "look");
  await it.until(session, "session_exited");
  expect(it.types(session)).toEqual([
    ...["session_started", "content_block_delta", "assistant", "content_block_start", "tool_status", "tool_status"],
    ...["content_block_delta", "content_block_delta", "assistant", "result", "session_exited"],
  ]);
  const said = it.told(session);
  expect(said.map(({ session_id }) => session_id)).toEqual(said.map(() => session.id));
  expect(said.filter(({ type }) => type === "assistant")).toMatchObject([
    { message: { role: "assistant", content: "I look" } },
    { message: { role: "assistant", content: "found" } },
  ]);
  expect(said.find(({ type }) => type === "content_block_start")).toMatchObject({
    content_block: { type: "tool_use", name: "Search", input: { query: "x" } },
  });
  expect(said.find(({ type }) => type === "result")).toMatchObject({
    subtype: "success",
    result: "found",
    total_cost_usd: 0,
  });
  expect(said.at(-1)).toMatchObject({ type: "session_exited", result: "exited" });
});

test("the sender in another channel is named by its key; at a terminal there is no sender", () => {
  expect(senderOf({ key: "agent:main:telegram:dm:42", source: "telegram", sender: null })).toBe("42");
  expect(senderOf({ key: "agent:main:telegram:work:dm:a:b", source: "telegram", sender: null })).toBe("a:b");
  expect(senderOf({ key: "agent:main:cli:dm:main", source: "cli", sender: null })).toBeNull();
  expect(senderOf({ key: null, source: "algochat", sender: null })).toBeNull();
});
