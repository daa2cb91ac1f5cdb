// The document of the seeded voice. Its module is among the assets of the server: `voice` in the manifest names it. It exports
// `open(base, manifest)`, which loads the voice and returns `say(sentence)`: the bytes of a WAV file.

import { type FromVoice, isToVoice } from "./voice-messages.ts";

const ASSETS = "/public/gsv/assets/tts/";

interface VoiceModule {
  open(base: string, manifest: object): Promise<{ say(sentence: string): Promise<ArrayBuffer> }>;
}

function answer(message: FromVoice): void {
  parent.postMessage(message, location.origin, message.wav === undefined ? [] : [message.wav]);
}

async function begin(): Promise<void> {
  const manifest = (await (await fetch(`${ASSETS}manifest.json`)).json()) as { readonly voice?: unknown };
  const { voice } = manifest;
  if (typeof voice !== "string" || !/^[\w-][\w./-]*\.m?js$/.test(voice) || voice.includes(".."))
    throw new Error("the manifest of the voice names no module");
  const { open } = (await import(ASSETS + voice)) as VoiceModule;
  const { say } = await open(ASSETS, manifest);
  addEventListener("message", async ({ source, origin, data }) => {
    if (source !== parent || origin !== location.origin || !isToVoice(data)) return;
    try {
      answer({ id: data.id, wav: await say(data.sentence) });
    } catch (error) {
      answer({ id: data.id, fault: String(error) });
    }
  });
}

begin().then(
  () => answer({ id: 0 }),
  (error: unknown) => answer({ id: 0, fault: String(error) }),
);
