// The button below an answer that reads it aloud.

import { useSyncExternalStore } from "react";
import { realClock } from "../../../src/lib/clock.ts";
import { browserVoice } from "./browser-voice.ts";
import { Reader } from "./reader.ts";
import { seededVoice } from "./seeded-voice.ts";
import { sentencesOf } from "./sentences.ts";

const MISSING =
  "No voice on this computer. To get one from the server, run there: gsv bootstrap --from DIR, with the voice in DIR/tts, then gsv serve --public.";

/** One voice for the page. */
const reader = new Reader(async () => (await browserVoice(realClock)) ?? (await seededVoice(realClock)), MISSING);

export function ReadAloud({ id, text }: { readonly id: string; readonly text: string }) {
  const reading = useSyncExternalStore(reader.subscribe, reader.snapshot);
  const isOwn = reading.kind !== "quiet" && reading.key === id;
  const isReading = isOwn && reading.kind === "reading";
  return (
    <div className={`aloud${isOwn ? " now" : ""}`}>
      <button
        type="button"
        className="quiet"
        onClick={() => (isReading ? reader.stop() : void reader.read(id, sentencesOf(text)))}
      >
        {isReading ? "Stop reading" : "Read aloud"}
      </button>
      <span className="dim" role="status">
        {isReading && reading.of > 1 ? `${reading.at + 1} of ${reading.of}` : ""}
        {isOwn && reading.kind === "failed" ? reading.text : ""}
      </span>
    </div>
  );
}
