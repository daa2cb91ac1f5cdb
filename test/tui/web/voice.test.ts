// The document of the seeded voice, in a real browser: it may compile WebAssembly and the console may not, and it sends the sound.

import { afterAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { separateStores } from "../../../fs/memory.ts";
import { openBrowser } from "../../support/browser.ts";
import { FakeDoor } from "../../support/door.ts";
import { listening } from "../../support/listening.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const WEB = resolve(import.meta.dir, "../../../tui/web");
const scratch = scratchDirectory("voice");

const objects = separateStores(() => 0, 1024 * 1024)(null);
const listener = listening(new FakeDoor(), { publicObjects: objects });
const browser = await openBrowser({ width: 800, height: 600 });
const inBrowser = test.skipIf(browser === null);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await listener.close();
  rmSync(scratch, { recursive: true });
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

/** Browsers keep a module for ever: another one needs another name. */
async function assets(manifest: { readonly voice?: string; readonly name?: string }, voice = VOICE): Promise<void> {
  const own = { uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
  const put = (key: string, text: string) =>
    objects.put({ key: `public/gsv/assets/tts/${key}`, ...own }, Buffer.from(text));
  await put(voice === VOICE ? "voice.mjs" : "sound.mjs", voice);
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
    await assets({ ...(voice !== undefined && { voice }) });
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

/** A short sound: 8,000 samples a second, one byte each. */
const SOUND = `(() => {
  const samples = 800;
  const view = new DataView(new ArrayBuffer(44 + samples));
  const text = (at, chars) => [...chars].forEach((char, i) => view.setUint8(at + i, char.charCodeAt(0)));
  text(0, "RIFF"); view.setUint32(4, 36 + samples, true); text(8, "WAVEfmt ");
  view.setUint32(16, 16, true); view.setUint16(20, 1, true); view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true); view.setUint32(28, 8000, true); view.setUint16(32, 1, true); view.setUint16(34, 8, true);
  text(36, "data"); view.setUint32(40, samples, true);
  for (let at = 44; at < 44 + samples; at++) view.setUint8(at, 128);
  return view.buffer;
})()`;

/** The button alone, in the page of the console and under its policy. */
async function button(): Promise<string> {
  const entry = join(scratch, "button.tsx");
  writeFileSync(
    entry,
    `import { render } from "react-dom";
     import { ReadAloud } from ${JSON.stringify(join(WEB, "speech/read-aloud.tsx"))};
     document.getElementById("app")?.remove();
     const place = document.body.appendChild(document.createElement("div"));
     render(<ReadAloud id="a" text="One. Two." />, place);`,
  );
  const withPreact: Bun.BunPlugin = {
    name: "with-preact",
    setup(builder) {
      builder.onResolve({ filter: /^react(?:-dom)?(?:\/.*)?$/ }, ({ path }) => {
        const name = path.includes("jsx") ? "preact/jsx-runtime" : "preact/compat";
        return { path: Bun.resolveSync(name, WEB) };
      });
    },
  };
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "iife",
    plugins: [withPreact],
  });
  return (await outputs[0]?.text()) ?? "";
}

inBrowser("the button reads with the voice of the server, or says how to get one", async () => {
  const script = await button();
  await objects.remove("public/gsv/assets/tts/manifest.json").catch(() => undefined);
  await browser?.open(`${listener.url}/`);
  await browser?.value(`(() => { ${script}; return 1; })()`);
  const press = async () => {
    await browser?.value(`(document.querySelector(".aloud button").focus(), 1)`);
    await browser?.press("Enter");
  };
  await press();
  await browser?.untilText("gsv bootstrap --from DIR");
  await assets({ voice: "sound.mjs" }, `export const open = async () => ({ say: async () => ${SOUND} });`);
  await press();
  await browser?.untilText("Stop reading");
  await browser?.untilText("2 of 2");
  await browser?.untilText("Read aloud");
  expect(await browser?.value<string>("document.querySelector('.aloud [role=status]').textContent")).toBe("");
});
