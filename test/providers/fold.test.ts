import { describe, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import type { StreamEvent } from "../../src/abi/stream.ts";
import { type Folded, Folder } from "../../src/providers/fold.ts";

const DONE: StreamEvent = { type: "done", stop: "end", usage: { ...NO_USAGE, output: 7 } };
const TOOLS_DONE: StreamEvent = { type: "done", stop: "tools", usage: NO_USAGE };

function foldAll(events: readonly StreamEvent[]): Folded {
  const folder = new Folder();
  for (const event of events) folder.push(event);
  return folder.end();
}

function start(index: number, id = `c${index}`, name = "Read"): StreamEvent {
  return { type: "call.start", index, id, name };
}

function delta(index: number, json: string): StreamEvent {
  return { type: "call.delta", index, json };
}

function faultOf(events: readonly StreamEvent[]): string {
  const folded = foldAll(events);
  if (folded.kind !== "failure") throw new Error(`expected a failure, not ${folded.kind}`);
  expect(folded.failure.class).toBe("protocol");
  return folded.failure.message;
}

describe("a whole answer", () => {
  test("text, thinking and calls come out whole, with the usage and the stop reason", () => {
    const folded = foldAll([
      { type: "thinking", text: "let me " },
      { type: "thinking", text: "look" },
      { type: "text", text: "One mo" },
      { type: "text", text: "ment." },
      start(0),
      delta(0, '{"path":'),
      delta(0, '"~/a"}'),
      TOOLS_DONE,
    ]);
    expect(folded).toEqual({
      kind: "turn",
      text: "One moment.",
      thinking: "let me look",
      calls: [{ id: "c0", name: "Read", args: { path: "~/a" } }],
      stop: "tools",
      usage: NO_USAGE,
    });
  });

  test("names and ids contain nothing that breaks a terminal, a store or a wire", () => {
    const folded = foldAll([
      start(0, "c\u0000\ud8001", "Read\u0000\u001b[31m\u202e"),
      start(1, "i".repeat(10_000), "N".repeat(10_000)),
      start(2, "c2", "mcp__files:list.all-1"),
      TOOLS_DONE,
    ]);
    expect(folded.kind === "turn" && folded.calls.map(({ id, name }) => [id, name])).toEqual([
      ["c__1", "Read___31m_"],
      ["i".repeat(256), "N".repeat(128)],
      ["c2", "mcp__files:list.all-1"],
    ]);
  });

  test("ids that only differ in removed characters are the same", () => {
    expect(faultOf([start(0, "c\u0000"), start(1, "c\u0001"), TOOLS_DONE])).toContain("two tool calls have the id");
  });

  test("arguments split after every character come out the same", () => {
    const json = JSON.stringify({ path: "~/ünï/🙂.md", content: 'line "one"\n\\two', deep: [{ a: [1, null, true] }] });
    for (let cut = 0; cut <= json.length; cut++) {
      const folded = foldAll([start(0), delta(0, json.slice(0, cut)), delta(0, json.slice(cut)), TOOLS_DONE]);
      expect(folded.kind === "turn" && folded.calls[0]?.args).toEqual(JSON.parse(json));
    }
  });

  test("a character split between two pieces of text comes out whole", () => {
    const folded = foldAll([{ type: "text", text: "a\ud83d" }, { type: "text", text: "\ude42b" }, DONE]);
    expect(folded.text).toBe("a🙂b");
  });

  test("NUL and half characters do not pass the fold", () => {
    const folded = foldAll([{ type: "text", text: "a\u0000b\ud83d" }, DONE]);
    expect(folded.text).toBe("a\ufffdb\ufffd");
  });

  test("calls in interleaved pieces are separated and kept in order", () => {
    const folded = foldAll([start(1), start(0), delta(1, '{"b":'), delta(0, '{"a":1}'), delta(1, "2}"), TOOLS_DONE]);
    expect(folded.kind === "turn" && folded.calls.map((call) => [call.id, call.args])).toEqual([
      ["c0", { a: 1 }],
      ["c1", { b: 2 }],
    ]);
  });

  test("a call sent without any arguments has none", () => {
    const folded = foldAll([start(0), TOOLS_DONE]);
    expect(folded.kind === "turn" && folded.calls[0]?.args).toEqual({});
  });

  test("an answer that calls tools stops for tools even if the server only reports its end", () => {
    const folded = foldAll([start(0), DONE]);
    expect(folded.kind === "turn" && folded.stop).toBe("tools");
  });

  test("an empty answer is still a turn", () => {
    expect(foldAll([DONE])).toMatchObject({ kind: "turn", text: "", calls: [], stop: "end" });
  });
});

describe("failure and abort", () => {
  test("a failure keeps its class and the text before it", () => {
    const failure = { class: "throttle", message: "slow down", retryAfterMs: 5 } as const;
    expect(
      foldAll([
        { type: "text", text: "half" },
        { type: "error", failure },
      ]),
    ).toEqual({
      kind: "failure",
      text: "half",
      thinking: "",
      failure,
    });
  });

  test("an abort keeps the text so far and returns no call", () => {
    const folded = foldAll([{ type: "text", text: "half" }, start(0), delta(0, "{}"), { type: "aborted" }]);
    expect(folded).toEqual({ kind: "aborted", text: "half", thinking: "" });
  });
});

describe("a breach by a provider is a protocol failure", () => {
  test("a stream without a last event", () => {
    expect(faultOf([{ type: "text", text: "half" }])).toContain("without an end");
    expect(faultOf([])).toContain("without an end");
  });

  test("an event after the last one, whichever they are", () => {
    const last: StreamEvent[] = [
      DONE,
      { type: "aborted" },
      { type: "error", failure: { class: "outage", message: "x" } },
    ];
    const after: StreamEvent[] = [...last, { type: "text", text: "more" }, start(0), delta(0, "{}")];
    for (const first of last)
      for (const second of after) expect(faultOf([first, second])).toContain("after the last event");
  });

  test.each([
    ["arguments that are not JSON", [start(0), delta(0, '{"path":'), TOOLS_DONE], "not JSON"],
    ["arguments that are a list", [start(0), delta(0, "[1]"), TOOLS_DONE], "not a JSON object"],
    ["arguments that are null", [start(0), delta(0, "null"), TOOLS_DONE], "not a JSON object"],
    ["arguments for a call that was never begun", [delta(3, "{}"), TOOLS_DONE], "not started"],
    ["one call begun twice", [start(0), start(0, "other"), TOOLS_DONE], "twice"],
    ["two calls with one id", [start(0, "same"), start(1, "same"), TOOLS_DONE], "have the id"],
    ["a call without a name", [start(0, "c", ""), TOOLS_DONE], "without an id or a name"],
    ["a stop for tools with no call", [TOOLS_DONE], "has no calls"],
  ] as [string, StreamEvent[], string][])("%s", (_what, events, words) => {
    expect(faultOf(events)).toContain(words);
  });

  test("arguments cut at the output limit are marked as cut", () => {
    const cut: StreamEvent = { type: "done", stop: "length", usage: NO_USAGE };
    expect(faultOf([start(0), delta(0, '{"content":"abc'), cut])).toContain("output limit");
  });

  test("more calls than one turn allows, at exactly that number", () => {
    const calls = Array.from({ length: LIMITS.toolCallsPerTurnMax }, (_, index) => start(index));
    expect(foldAll([...calls, TOOLS_DONE]).kind).toBe("turn");
    expect(faultOf([...calls, start(calls.length), TOOLS_DONE])).toContain(String(LIMITS.toolCallsPerTurnMax));
  });

  test("arguments nested too deep, though brackets in a text do not count", () => {
    const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(faultOf([start(0), delta(0, deep(100_000)), TOOLS_DONE])).toContain("nested deeper");
    expect(foldAll([start(0), delta(0, deep(LIMITS.jsonDepthMax - 1)), TOOLS_DONE]).kind).toBe("turn");
    expect(
      foldAll([start(0), delta(0, JSON.stringify({ a: '\\"'.repeat(300) + "[".repeat(300) })), TOOLS_DONE]).kind,
    ).toBe("turn");
  });

  test("push reports that the rest is useless after the last event and after a breach", () => {
    const folder = new Folder();
    expect(folder.push({ type: "text", text: "a" })).toBe(true);
    expect(folder.push(DONE)).toBe(false);
    const broken = new Folder();
    expect(broken.push(delta(0, "{}"))).toBe(false);
    expect(broken.push(DONE)).toBe(false);
    expect(broken.end().kind).toBe("failure");
  });
});
