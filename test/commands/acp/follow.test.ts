// A session in an editor while a terminal uses the same process, and after the connection to the kernel was cut.

import { expect, test } from "bun:test";
import { Editor } from "../../support/acp-editor.ts";

const talk = ({ updates }: Editor) =>
  updates.flatMap(({ sessionUpdate, title, status, content }) => {
    const text = (content as { text?: string } | undefined)?.text;
    if (String(sessionUpdate).endsWith("_chunk")) return [`${sessionUpdate}: ${text}`];
    return sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update"
      ? [`${title ?? "result"}: ${status}`]
      : [];
  });

const WRITE = { name: "Write", args: { path: "a.txt", content: "hello\n" } };

test("a message that a person types in a terminal shows in the editor before its answer", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.home.model.will(sessionId, { text: "Fine." });
  const { runId } = await it.home.send("how are you?", { pid: sessionId });
  await it.home.ended(runId);
  await it.home.until("the answer", () => talk(it).length === 2);
  expect(talk(it)).toEqual(["user_message_chunk: how are you?", "agent_message_chunk: Fine."]);
  it.home.model.will(sessionId, { text: "Good." });
  await it.prompt(sessionId, "and now?");
  expect(talk(it).slice(2)).toEqual(["agent_message_chunk: Good."]);
});

test("calls, results and texts that were missed during a restart of the kernel are shown once, in their order", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.misses = ["chat.text", "chat.delta", "chat.tool_call", "chat.tool_result", "chat.complete"];
  it.home.model.will(sessionId, { text: "I write it.", calls: [WRITE] }, { text: "Written." });
  const prompt = it.prompt(sessionId, "write");
  await it.home.inState(sessionId, "idle");
  it.misses = [];
  it.resync(sessionId);
  it.resync(sessionId);
  expect(await prompt).toEqual({ stopReason: "end_turn" });
  expect(talk(it)).toEqual([
    ...["agent_message_chunk: I write it.", "Write a.txt: in_progress", "result: completed"],
    "agent_message_chunk: Written.",
  ]);
});

test("a request that a terminal answers is withdrawn in the editor; one that is open is asked again in the next window", async () => {
  await using it = await Editor.open();
  const { sessionId, cwd } = await it.session();
  await it.home.sys.call("fs.write", { path: "~/a.txt", content: "x" });
  it.chooses = () => null;
  it.home.model.will(sessionId, { calls: [{ name: "Delete", args: { path: "~/a.txt" } }] }, { text: "Gone." });
  const prompt = it.prompt(sessionId, "delete");
  const { waitsFor } = await it.home.inState(sessionId, "waiting_hil");
  await using other = it.window();
  other.chooses = () => null;
  await other.result("session/resume", { sessionId, cwd });
  await it.home.until("the request in the second window", () => other.requests.length === 1);
  expect(other.requests[0]).toMatchObject({ sessionId, toolCall: { title: "Delete ~/a.txt" } });
  await it.home.sys.call("hil.answer", { id: waitsFor?.kind === "approval" ? waitsFor.id : "", decision: "approve" });
  expect(await prompt).toEqual({ stopReason: "end_turn" });
  expect(it.withdrawn).toHaveLength(1);
  await it.home.until("the withdrawal in the second window", () => other.withdrawn.length === 1);
});

test("an editor that takes its prompt back by its id cancels the run", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  it.home.model.will(sessionId, { calls: [{ name: "Delete", args: { path: "~/a.txt" } }] });
  await it.home.sys.call("fs.write", { path: "~/a.txt", content: "x" });
  it.chooses = () => {
    it.takeBack();
    return { outcome: { outcome: "cancelled" } };
  };
  expect(await it.prompt(sessionId, "delete")).toEqual({ stopReason: "cancelled" });
});

test("the places of a search are its matches in the editor's directory", async () => {
  await using it = await Editor.open();
  const { sessionId, cwd } = await it.session();
  await Bun.write(`${cwd}/src/a.txt`, "one\ntwo hello\n");
  it.home.model.will(
    sessionId,
    { calls: [{ name: "Search", args: { query: "hello", path: "." } }] },
    { text: "There." },
  );
  await it.prompt(sessionId, "find it");
  const result = it.updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  expect(result?.locations).toEqual([{ path: `${cwd}/src/a.txt`, line: 2 }]);
});

test("a run that waits for a key ends the prompt with the reason, and continues in the editor once it has one", async () => {
  await using it = await Editor.open();
  const { sessionId } = await it.session();
  const failure = { class: "auth", message: "invalid key", status: 401 } as never;
  it.home.model.will(sessionId, { error: failure }, { text: "Here I am." });
  const prompt = [{ type: "text", text: "go" }];
  const { error } = await it.request("session/prompt", { sessionId, prompt });
  expect(error).toMatchObject({ code: -32000, message: expect.stringContaining("the run is on hold: ") });
  await it.home.sys.call("proc.signal", { pid: sessionId, signal: "CONT" });
  await it.home.inState(sessionId, "idle");
  await it.home.until("the answer", () => it.texts().includes("Here I am."));
});
