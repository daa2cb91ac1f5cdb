// Answers as servers send them, byte for byte, in test/golden/wire: one file each, status and headers first. The resulting events
// are stored with them; UPDATE=1 writes them again, for review before a commit.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StreamEvent } from "../../src/abi/stream.ts";
import { anthropicTranslation } from "../../src/providers/anthropic/events.ts";
import { statusFailure } from "../../src/providers/failures.ts";
import { Folder } from "../../src/providers/fold.ts";
import { factsOf } from "../../src/providers/models.ts";
import { ollamaTranslation } from "../../src/providers/ollama/events.ts";
import { chatTranslation } from "../../src/providers/openai/chat-events.ts";
import { responsesTranslation } from "../../src/providers/openai/responses.ts";
import { type Framer, LineFramer, SseFramer } from "../../src/providers/sse.ts";
import type { Translation } from "../../src/providers/wire.ts";
import { samples } from "../support/soak.ts";

const STEP = samples(11, 1);
const DIRECTORY = join(import.meta.dir, "../golden/wire");
const EXPECTED = join(DIRECTORY, "expected.json");

const WIRES: { readonly [wire: string]: () => { readonly framer: Framer; readonly translation: Translation } } = {
  anthropic: () => ({
    framer: new SseFramer(),
    translation: anthropicTranslation(factsOf("anthropic", "claude-sonnet-4-5", 1)),
  }),
  responses: () => ({ framer: new SseFramer(), translation: responsesTranslation(factsOf("openai", "gpt-5.4", 1)) }),
  chat: () => ({ framer: new SseFramer(), translation: chatTranslation(factsOf("openai", "some-model", 1), "some") }),
  ollama: () => ({ framer: new LineFramer(), translation: ollamaTranslation("ollama") }),
};

interface Recorded {
  readonly name: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

function recorded(file: string): Recorded {
  const bytes = readFileSync(join(DIRECTORY, file));
  const end = bytes.indexOf("\n\n");
  const [first = "", ...rest] = bytes.subarray(0, end).toString().split("\n");
  const headers = new Headers(rest.map((line) => line.split(": ") as [string, string]));
  return {
    name: file.replace(".txt", ""),
    status: Number(first.split(" ")[1]),
    headers,
    body: bytes.subarray(end + 2),
  };
}

const ALL = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith(".txt"))
  .sort()
  .map(recorded);
const STREAMED = ALL.filter(({ status }) => status === 200);

/** The events of all pieces together. */
function told({ name, status, headers, body }: Recorded, pieces: readonly Uint8Array[] = [body]) {
  if (status !== 200) return { failure: statusFailure({ status, headers, body: body.toString(), now: 0 }) };
  const { framer, translation } = WIRES[name.split("-")[0] ?? ""]!();
  const events: StreamEvent[] = [];
  for (const piece of pieces) for (const frame of framer.push(piece)) translation.take(frame, events);
  const isOver = events.some(({ type }) => type === "done" || type === "error");
  if (!isOver) translation.end?.(events);
  const folder = new Folder();
  for (const event of events) if (!folder.push(event)) break;
  const answer = folder.end();
  return answer.kind === "turn" && answer.seal !== undefined
    ? { ...answer, seal: { ...answer.seal, data: JSON.parse(answer.seal.data) } }
    : answer;
}

const expected = JSON.parse(readFileSync(EXPECTED, "utf8")) as { readonly [name: string]: object };
if (process.env.UPDATE === "1") {
  const all = Object.fromEntries(ALL.map((each) => [each.name, told(each)]));
  writeFileSync(EXPECTED, `${JSON.stringify(all, null, 2)}\n`);
}

describe("a recorded answer becomes the events in its golden file", () => {
  test("every recording has a golden line", () =>
    expect(Object.keys(expected).sort()).toEqual(ALL.map(({ name }) => name).sort()));

  test.each(ALL.map((each) => [each.name, each] as const))("%s", (name, each) => {
    expect(JSON.parse(JSON.stringify(told(each)))).toEqual(expected[name]!);
  });
});

describe.each(STREAMED.map((each) => [each.name, each] as const))("%s", (name, each) => {
  test("split at any byte it gives the same events", () => {
    const whole = JSON.stringify(told(each));
    for (let at = 1; at < each.body.length; at += STEP) {
      const now = JSON.stringify(told(each, [each.body.subarray(0, at), each.body.subarray(at)]));
      if (now !== whole) expect([name, at, now]).toEqual([name, at, whole]);
    }
  });

  test("cut at any byte it never becomes another answer", () => {
    const whole = told(each);
    for (let at = 0; at < each.body.length; at += STEP) {
      const cut = told(each, [each.body.subarray(0, at)]);
      // Only the part after the stop reason may be missing: counts.
      const nothing = { usage: null, seal: null };
      if (!("kind" in cut) || cut.kind !== "turn") continue;
      expect<unknown>([name, at, { ...cut, ...nothing }]).toEqual([name, at, { ...whole, ...nothing }]);
    }
  });
});
