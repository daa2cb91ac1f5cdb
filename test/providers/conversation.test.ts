// For every history, the request to a model server starts with the user, alternates, and has one result for each call.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { conversationTurns } from "../../src/providers/conversation.ts";
import { messagesOf } from "./requests.ts";

type Said = Parameters<typeof messagesOf>[0][number];

const call = (id: string) => ({ id, name: "Read", args: {} });
const said: fc.Arbitrary<Said> = fc.oneof(
  fc.constantFrom<Said>({ user: "a" }, { user: "" }, { event: "b" }, { assistant: "c" }, { assistant: "" }),
  fc
    .uniqueArray(fc.constantFrom("1", "2", "3"), { minLength: 1 })
    .map((ids) => ({ assistant: "", calls: ids.map(call) })),
  fc.constantFrom("1", "2", "3").map((of) => ({ result: `r${of}`, of, tool: "Read" })),
);

test("every history becomes turns that every server accepts, and more history only adds turns", () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 12 }), (history) => {
      const messages = messagesOf(history);
      const turns = conversationTurns(messages);
      expect(turns[0]?.role).toBe("user");
      for (const [index, turn] of turns.entries()) {
        const before = turns[index - 1];
        expect(turn.role).toBe(index % 2 === 0 ? "user" : "assistant");
        if (turn.role === "assistant") {
          expect(turn.text !== "" || turn.calls.length > 0).toBe(true);
          continue;
        }
        const asked = before?.role === "assistant" ? before.calls.map(({ id }) => id) : [];
        expect(turn.results.map(({ callId }) => callId).sort()).toEqual([...asked].sort());
        expect(turn.texts.length + turn.results.length).toBeGreaterThan(0);
        expect(turn.texts).not.toContain("");
      }
      const more = conversationTurns([...messages, ...messagesOf([...history, { assistant: "x" }]).slice(-1)]);
      if (turns.at(-1)?.role === "user") expect(more.slice(0, turns.length)).toEqual(turns);
    }),
    { seed: 7, numRuns: 500 },
  );
});

test("a cut beginning is marked, and events differ from the messages of the user", () => {
  const turns = conversationTurns(
    messagesOf([
      { result: "of a call that is gone", of: "9", tool: "Read" },
      { assistant: "so" },
      { event: "a child ended" },
    ]),
  );
  expect(turns).toEqual([
    { role: "user", results: [], texts: ["[event] the beginning of this history is omitted"] },
    { role: "assistant", text: "so", calls: [], seal: null },
    { role: "user", results: [], texts: ["[event] a child ended"] },
  ]);
});
