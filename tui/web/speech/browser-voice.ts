// The voices that the browser has.

import type { Clock } from "../../../src/lib/clock.ts";
import { localVoice } from "./local-voice.ts";
import type { Mouth } from "./reader.ts";

/** Some browsers load their voices after the page. */
const VOICES_MS = 1000;

export async function browserVoice(clock: Clock): Promise<Mouth | null> {
  if (!("speechSynthesis" in globalThis)) return null;
  const voice = localVoice(await voicesOf(speechSynthesis, clock), navigator.languages);
  return voice === null ? null : { prepare: async (sentence, signal) => () => say(sentence, voice, signal) };
}

async function voicesOf(synthesis: SpeechSynthesis, clock: Clock): Promise<readonly SpeechSynthesisVoice[]> {
  const known = synthesis.getVoices();
  if (known.length > 0) return known;
  const come = new AbortController();
  synthesis.addEventListener("voiceschanged", () => come.abort(), { once: true, signal: come.signal });
  await clock.sleep(VOICES_MS, come.signal);
  come.abort();
  return synthesis.getVoices();
}

function say(sentence: string, voice: SpeechSynthesisVoice, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const utterance = new SpeechSynthesisUtterance(sentence);
    utterance.voice = voice;
    utterance.lang = voice.lang;
    const stop = () => {
      speechSynthesis.cancel();
      resolve();
    };
    const settle = () => signal.removeEventListener("abort", stop);
    utterance.onend = () => {
      settle();
      resolve();
    };
    utterance.onerror = ({ error }) => {
      settle();
      if (signal.aborted) resolve();
      else reject(new Error(error));
    };
    signal.addEventListener("abort", stop, { once: true });
    speechSynthesis.speak(utterance);
  });
}
