// A failed run stays in the transcript, also for a terminal that comes back.

import { expect, test } from "bun:test";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import { entriesOf } from "../../tui/talk/collapsed.ts";

test("the stored note of a failed run is shown as its failure; other notes of the system are not", () => {
  const message = (id: number, role: string, content: unknown) => ({ id, role, content, runId: "r", timestamp: id });
  const messages = [
    message(1, "user", "hello"),
    message(2, "system", "Generation failed: no API key for Anthropic"),
    message(3, "system", "a task ended"),
  ];
  expect(entriesOf({ messages } as unknown as HistoryPage)).toEqual([
    { kind: "message", text: "hello" },
    { kind: "failure", reason: "no API key for Anthropic" },
  ]);
});
