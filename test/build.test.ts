// The binary: one file that reads nothing of the directory it is started in. A small program stands in for gsv and
// tries each thing a hostile directory could do; building it takes a second, so all claims share one build.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../src/build.ts";
import { WIRES } from "./support/wire-bytes.ts";
import { WireServer } from "./support/wire-server.ts";

const scratch = mkdtempSync(join(tmpdir(), "gsv-build-"));
const binary = join(scratch, "out", "small");
const hostile = join(scratch, "hostile");

const source = (path: string) => JSON.stringify(join(import.meta.dir, "..", path));
/** Asks both kinds of servers, through their SDKs. */
const ASK = `import { anthropicProvider } from ${source("src/providers/anthropic.ts")};
  import { openAiProvider } from ${source("src/providers/openai.ts")};
  import { realClock as clock } from ${source("src/lib/clock.ts")};
  import { accessOf } from ${source("test/support/wire-format.ts")};
  import { requestOf } from ${source("test/providers/requests.ts")};
  export async function ask(url) {
    const access = accessOf(url);
    const last = [];
    for (const provider of [anthropicProvider({ clock, access }), openAiProvider({ name: "openai", clock, access })])
      for await (const event of provider.stream(requestOf([{ user: "hi" }]), new AbortController().signal)) last.push(event);
    return last;
  }`;

beforeAll(async () => {
  mkdirSync(hostile);
  writeFileSync(join(hostile, "bunfig.toml"), 'preload = ["./canary.ts"]\n');
  writeFileSync(join(hostile, "canary.ts"), 'await Bun.write("canary.txt", "it ran");\n');
  writeFileSync(join(hostile, ".env"), "CANARY=loaded\n");
  writeFileSync(join(scratch, "page.md"), "# a page of text\n");
  writeFileSync(
    join(scratch, "main.ts"),
    `import { COMMIT, VERSION } from ${JSON.stringify(join(import.meta.dir, "..", "src", "version.ts"))};
    import page from "./page.md" with { type: "text" };
    import * as devtools from "react-devtools-core";
    const lazy = await import("./lazy.ts");
    if (process.argv[2] !== undefined) console.log(JSON.stringify(await lazy.ask(process.argv[2])));
    else
    console.log(JSON.stringify({ VERSION, COMMIT, page, devtools: typeof devtools, lazy: lazy.answer(), canary: process.env.CANARY ?? null }));`,
  );
  writeFileSync(join(scratch, "lazy.ts"), `export const answer = () => 42;\nexport { ask } from "./ask.ts";\n`);
  writeFileSync(join(scratch, "ask.ts"), ASK);
  await build({ entry: join(scratch, "main.ts"), outfile: binary, commit: "abc123" });
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function runBinary(): { [key: string]: unknown } {
  const answer = Bun.spawnSync([binary], { cwd: hostile, env: { PATH: "/usr/bin:/bin" } });
  expect(answer.stderr.toString()).toBe("");
  return JSON.parse(answer.stdout.toString());
}

test("the binary carries its version, its commit, text pages, lazy parts and a stub for the debugger of Ink", () => {
  const { version } = require("../package.json");
  expect(runBinary()).toMatchObject({
    VERSION: version,
    COMMIT: "abc123",
    page: "# a page of text\n",
    lazy: 42,
    devtools: "object",
  });
});

test("started in a hostile directory it loads neither .env nor the preload of bunfig.toml", () => {
  expect(runBinary()).toMatchObject({ canary: null });
  expect(readdirSync(hostile).sort()).toEqual([".env", "bunfig.toml", "canary.ts"]);
});

test("a build leaves one executable file and nothing beside it", () => {
  expect(readdirSync(join(scratch, "out"))).toEqual(["small"]);
  expect(statSync(binary).mode & 0o111).toBe(0o111);
});

test("a build that fails says why and keeps the old binary", async () => {
  const before = statSync(binary).ino;
  writeFileSync(join(scratch, "broken.ts"), 'import "./missing.ts";\n');
  await expect(build({ entry: join(scratch, "broken.ts"), outfile: binary, commit: "abc123" })).rejects.toThrow();
  expect(statSync(binary).ino).toBe(before);
  expect(readdirSync(join(scratch, "out"))).toEqual(["small"]);
});

test("model servers are asked through their SDKs, of which the binary holds no page that nobody asks for", async () => {
  const [anthropic, chat] = [WIRES.anthropic!, WIRES["openai chat completions"]!];
  using server = new WireServer(({ path }) => {
    const { type, body } = path === anthropic.path ? anthropic : chat;
    return { type, body: body({ text: [path] }) };
  });
  const asking = Bun.spawn([binary, server.url], { cwd: hostile, env: { PATH: "/usr/bin:/bin" }, stderr: "pipe" });
  const [said, fault] = await Promise.all([asking.stdout.text(), asking.stderr.text()]);
  expect(fault).toBe("");
  const done = expect.objectContaining({ type: "done" });
  const text = (path: string) => ({ type: "text", text: path });
  expect(JSON.parse(said)).toEqual([text(anthropic.path), done, text(chat.path), done]);
  expect(readFileSync(binary).includes("/fine_tuning/jobs")).toBe(false);
});
