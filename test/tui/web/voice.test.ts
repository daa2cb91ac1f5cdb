// The document of the seeded voice, in a real browser: it may compile WebAssembly and the console may not, and it sends the sound.

import { afterAll, expect, test } from "bun:test";
import { separateStores } from "../../../fs/memory.ts";
import { Browser, hasChromium } from "../../support/browser.ts";
import { FakeDoor } from "../../support/door.ts";
import { listening } from "../../support/listening.ts";

const objects = separateStores(() => 0, 1024 * 1024)(null);
const listener = listening(new FakeDoor(), { publicObjects: objects });
const browser = hasChromium ? new Browser({ width: 800, height: 600 }) : null;
const inBrowser = test.skipIf(browser === null);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await listener.close();
});

/** Stands in for a voice: it compiles a WebAssembly module and sends the sentence as bytes. */
const VOICE = `export async function open(base, { name }) {
  await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  return {
    async say(sentence) {
      if (sentence === "broken") throw new Error("cannot say this");
      return new TextEncoder().encode(base + " " + name + " " + sentence).buffer;
    },
  };
}`;

async function assets(manifest: object): Promise<void> {
  const own = { uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
  const put = (key: string, text: string) =>
    objects.put({ key: `public/gsv/assets/tts/${key}`, ...own }, Buffer.from(text));
  await put("voice.mjs", VOICE);
  await put("manifest.json", JSON.stringify(manifest));
}

/** Opens the console, puts the document of the voice into it, and returns the first message and those that answer. */
function asking(...sentences: readonly string[]): string {
  return `(async () => {
    const frame = document.createElement("iframe");
    frame.src = "/voice";
    const heard = [];
    const next = () => new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }));
    const ready = next();
    document.body.append(frame);
    heard.push(await ready);
    for (const [at, sentence] of ${JSON.stringify(sentences)}.entries()) {
      const answer = next();
      frame.contentWindow.postMessage({ id: at + 1, sentence }, location.origin);
      heard.push(await answer);
    }
    return JSON.stringify(heard.map(({ wav, ...rest }) => ({ ...rest, ...(wav && { said: new TextDecoder().decode(wav) }) })));
  })()`;
}

inBrowser("sends the sound of each sentence to the console", async () => {
  await assets({ voice: "voice.mjs", name: "joe" });
  await browser?.open(`${listener.url}/`);
  expect(JSON.parse((await browser?.value<string>(asking("Hello.", "broken")))!)).toEqual([
    { id: 0 },
    { id: 1, said: "/public/gsv/assets/tts/ joe Hello." },
    { id: 2, fault: "Error: cannot say this" },
  ]);
});

inBrowser("says what is wrong with a manifest that names no module, or one elsewhere", async () => {
  for (const voice of [undefined, "../../../evil.mjs", "https://evil.test/a.mjs", "/a.mjs"]) {
    await assets({ voice });
    await browser?.open(`${listener.url}/`);
    const [first] = JSON.parse((await browser?.value<string>(asking()))!) as [{ fault: string }];
    expect([voice, first.fault]).toEqual([voice, "Error: the manifest of the voice names no module"]);
  }
});

test("only this document may compile WebAssembly, and no other site may frame it", async () => {
  const policyOf = async (path: string) =>
    (await fetch(`${listener.url}${path}`)).headers.get("content-security-policy") ?? "";
  expect(await policyOf("/")).not.toContain("wasm-unsafe-eval");
  const policy = await policyOf("/voice");
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
});
