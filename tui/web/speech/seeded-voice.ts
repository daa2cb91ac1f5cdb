// The voice that the server has among its assets. It runs in a document of its own, the only one that may compile WebAssembly, and sends sound.

import type { Clock } from "../../../src/lib/clock.ts";
import type { Mouth } from "./reader.ts";
import { type FromVoice, isFromVoice, type ToVoice, VOICE_PAGE } from "./voice-messages.ts";

const MANIFEST = "/public/gsv/assets/tts/manifest.json";
/** A model of 60 MB has to come first. */
const LOAD_MS = 120_000;

let opened: Promise<Mouth> | null = null;

/** Null if the server has no voice. */
export async function seededVoice(clock: Clock): Promise<Mouth | null> {
  if (opened === null) {
    const found = await fetch(MANIFEST, { method: "HEAD" }).catch(() => null);
    if (found?.ok !== true) return null;
    opened = openVoice(clock);
    opened.catch(() => {
      opened = null;
    });
  }
  return await opened;
}

async function openVoice(clock: Clock): Promise<Mouth> {
  const frame = document.createElement("iframe");
  frame.src = VOICE_PAGE;
  frame.hidden = true;
  frame.title = "voice";
  const waiting = new Map<number, (message: FromVoice) => void>();
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin || !isFromVoice(data)) return;
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  const answerTo = (id: number) => new Promise<FromVoice>((resolve) => waiting.set(id, resolve));
  const isOpen = answerTo(0);
  document.body.append(frame);
  const late = clock.sleep(LOAD_MS).then((): FromVoice => ({ id: 0, fault: "it does not answer" }));
  const { fault } = await Promise.race([isOpen, late]);
  if (fault !== undefined) {
    frame.remove();
    throw new Error(fault);
  }
  let count = 0;
  return {
    async prepare(sentence, signal) {
      const id = ++count;
      const answer = answerTo(id);
      const message: ToVoice = { id, sentence };
      frame.contentWindow?.postMessage(message, location.origin);
      const { wav, fault: failed } = await answer;
      if (wav === undefined) throw new Error(failed ?? "no sound came");
      return () => play(wav, signal);
    },
  };
}

async function play(wav: ArrayBuffer, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(new Blob([wav], { type: "audio/wav" }));
  try {
    const audio = new Audio(url);
    await new Promise<void>((resolve, reject) => {
      audio.onended = () => resolve();
      audio.onerror = () => reject(new Error("the sound cannot be played"));
      signal.addEventListener("abort", () => {
        audio.pause();
        resolve();
      });
      if (!signal.aborted) audio.play().catch(reject);
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
