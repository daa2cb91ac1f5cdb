// The pieces of an answer as they are sent while it streams.

import { expect, test } from "bun:test";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import type { ModelRequest, StreamEvent } from "../../src/abi/stream.ts";
import { modelTurn } from "../../src/process/run/model-turn.ts";
import { FakeClock } from "../support/clock.ts";

/** Streams one piece after the other, each when released. */
class Speaker {
  private told = Promise.withResolvers<StreamEvent>();

  async *stream(): AsyncGenerator<StreamEvent> {
    for (;;) {
      const event = await this.told.promise;
      this.told = Promise.withResolvers();
      yield event;
    }
  }

  async says(event: StreamEvent): Promise<void> {
    this.told.resolve(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("fast pieces are sent together, and those before a pause do not wait for its end", async () => {
  const clock = new FakeClock();
  const speaker = new Speaker();
  const heard: string[] = [];
  const turn = modelTurn({
    provider: { name: "speaker", stream: () => speaker.stream() },
    request: {} as ModelRequest,
    signal: new AbortController().signal,
    clock,
    onDelta: (kind, text) => heard.push(`${kind}: ${text}`),
  });
  for (const text of ["one ", "two ", "three"]) await speaker.says({ type: "text", text });
  expect(heard).toEqual(["text: one "]);
  await clock.advance(20);
  expect(heard).toEqual(["text: one ", "text: two three"]);
  await speaker.says({ type: "thinking", text: "hm" });
  await speaker.says({ type: "text", text: "." });
  await speaker.says({ type: "done", stop: "end", usage: NO_USAGE });
  await turn;
  expect(heard.slice(2)).toEqual(["thinking: hm", "text: ."]);
  expect(clock.pending).toBe(0);
});
