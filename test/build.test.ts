// The binary: one file that reads nothing from the directory it starts in. A small program stands in for gsv and tries each trick of a
// hostile directory; a build takes a second, so all tests share one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCommandNames } from "just-bash/browser";
import { manualIndex } from "../commands/man/man-index.ts";
import { COMMANDS } from "../commands/table.ts";
import * as environment from "../src/abi/config/environment.ts";
import { build } from "../src/build.ts";
import { hotChunk } from "../src/bundle/hot-chunk.ts";
import { latePackages } from "../src/bundle/late-packages.ts";
import { leanSdks } from "../src/bundle/lean-sdks.ts";
import { leanShell } from "../src/bundle/lean-shell.ts";
import { readyMade } from "../src/bundle/ready-made.ts";
import { MANUAL } from "../src/prompts/manual.ts";
import { PROGRAMS } from "../src/shell/programs/table.ts";
import * as editions from "../src/store/migrations/editions.ts";
import { SYSCALLS } from "../src/syscalls/all.ts";
import { gsvCommand, isCompiled } from "./support/program.ts";
import { WIRES } from "./support/wire-bytes.ts";
import { WireServer } from "./support/wire-server.ts";

const scratch = mkdtempSync(join(tmpdir(), "gsv-build-"));
const binary = join(scratch, "out", "small");
const hostile = join(scratch, "hostile");

const source = (path: string) => JSON.stringify(join(import.meta.dir, "..", path));
/** Asks both kinds of servers, through their SDKs. */
const ASK = `import { anthropicProvider } from ${source("src/providers/anthropic/anthropic.ts")};
  import { openAiProvider } from ${source("src/providers/openai/openai.ts")};
  import { realClock as clock } from ${source("src/lib/clock.ts")};
  import { accessOf } from ${source("test/support/wire-format.ts")};
  import { requestOf } from ${source("test/providers/requests.ts")};
  const access = accessOf(process.argv[2]);
  const told = [];
  for (const provider of [anthropicProvider({ clock, access }), openAiProvider({ name: "openai", clock, access })])
    for await (const event of provider.stream(requestOf([{ user: "hi" }]), new AbortController().signal)) told.push(event);
  console.log(JSON.stringify(told));`;

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
    console.log(JSON.stringify({ VERSION, COMMIT, page, devtools: typeof devtools, lazy: lazy.answer(), canary: process.env.CANARY ?? null }));`,
  );
  writeFileSync(join(scratch, "lazy.ts"), "export const answer = () => 42;\n");
  await build({ entry: join(scratch, "main.ts"), outfile: binary, commit: "abc123" });
}, 30_000);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function runBinary(): { [key: string]: unknown } {
  const answer = Bun.spawnSync([binary], { cwd: hostile, env: { PATH: "/usr/bin:/bin" } });
  expect(answer.stderr.toString()).toBe("");
  return JSON.parse(answer.stdout.toString());
}

test("the binary contains its version, commit, text pages, lazy parts and a stub for Ink's debugger", () => {
  const { version } = require("../package.json");
  expect(runBinary()).toMatchObject({
    VERSION: version,
    COMMIT: "abc123",
    page: "# a page of text\n",
    lazy: 42,
    devtools: "object",
  });
});

test("the binary in a hostile directory loads neither .env nor the preload of bunfig.toml", () => {
  expect(runBinary()).toMatchObject({ canary: null });
  expect(readdirSync(hostile).sort()).toEqual([".env", "bunfig.toml", "canary.ts"]);
});

test("a build leaves only one executable file", () => {
  expect(readdirSync(join(scratch, "out"))).toEqual(["small"]);
  expect(statSync(binary).mode & 0o111).toBe(0o111);
});

test("a failed build reports the reason and keeps the old binary", async () => {
  const before = statSync(binary).ino;
  writeFileSync(join(scratch, "broken.ts"), 'import "./missing.ts";\n');
  await expect(build({ entry: join(scratch, "broken.ts"), outfile: binary, commit: "abc123" })).rejects.toThrow();
  expect(statSync(binary).ino).toBe(before);
  expect(readdirSync(join(scratch, "out"))).toEqual(["small"]);
});

test("a build asks model servers through their SDKs, without the SDK modules that are not used", async () => {
  const [anthropic, chat] = [WIRES.anthropic!, WIRES["openai chat completions"]!];
  using server = new WireServer(({ path }) => {
    const { type, body } = path === anthropic.path ? anthropic : chat;
    return { type, body: body({ text: [path] }) };
  });
  const entry = join(scratch, "ask.ts");
  writeFileSync(entry, ASK);
  const outdir = join(scratch, "asking");
  await Bun.build({ entrypoints: [entry], outdir, target: "bun", minify: true, plugins: [leanSdks] });
  const built = join(outdir, "ask.js");
  const asking = Bun.spawn([process.execPath, built, server.url], { cwd: scratch, env: {}, stderr: "pipe" });
  const [said, fault] = await Promise.all([asking.stdout.text(), asking.stderr.text()]);
  expect(fault).toBe("");
  const done = expect.objectContaining({ type: "done" });
  const text = (path: string) => ({ type: "text", text: path });
  expect(JSON.parse(said)).toEqual([text(anthropic.path), done, text(chat.path), done]);
  for (const path of isCompiled() ? [built, ...gsvCommand()] : [built])
    expect([path, readFileSync(path).includes("/fine_tuning/jobs")]).toEqual([path, false]);
});

test("a binary converts HTML with a parser loaded at first use, and lacks only those programs that gsv replaces", async () => {
  const entry = join(scratch, "page.ts");
  const shell = Bun.resolveSync("just-bash/browser", import.meta.dir);
  await Bun.write(
    entry,
    `import { Bash, getCommandNames } from ${JSON.stringify(shell)};
    const lacking = [];
    for (const name of getCommandNames()) {
      const { stderr } = await new Bash({ commands: [name] }).exec(name + " --help");
      if (stderr.includes("gsv has its own " + name)) lacking.push(name);
    }
    const { stdout } = await new Bash().exec("echo '<h1>one</h1><b>two</b>' | html-to-markdown");
    console.log(JSON.stringify({ lacking, stdout }));`,
  );
  const outdir = join(scratch, "page");
  const plugins = [leanShell, latePackages];
  const { outputs } = await Bun.build({ entrypoints: [entry], outdir, target: "bun", minify: true, plugins });
  const ran = Bun.spawnSync([process.execPath, outputs[0]?.path ?? ""], { cwd: outdir, env: {} });
  expect(ran.stderr.toString()).toBe("");
  const { lacking, stdout } = JSON.parse(ran.stdout.toString());
  expect(stdout).toBe("# one\n\n**two**\n");
  expect(lacking.sort()).toEqual(
    getCommandNames()
      .filter((name) => PROGRAMS.has(name))
      .sort(),
  );
});

test("the prepared contents of a binary equal those that the sources produce", async () => {
  const ready = async <M>(source: string): Promise<M> => {
    const entry = join(import.meta.dir, "..", source);
    const plugins = [readyMade];
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      outdir: join(scratch, "ready"),
      target: "bun",
      plugins,
    });
    expect(await outputs[0]?.text()).not.toMatch(/^import (?!\{ readFileSync \})/m);
    return await import(outputs[0]?.path ?? "");
  };
  expect({ ...(await ready<object>("src/abi/config/environment.ts")) }).toEqual({ ...environment });
  expect({ ...(await ready<object>("src/store/migrations/editions.ts")) }).toEqual({ ...editions });
  const index = await ready<typeof import("../commands/man/man-index.ts")>("commands/man/man-index.ts");
  const nobody = () => Promise.reject(new Error("asked for the manual"));
  expect((await ready<typeof import("../src/prompts/manual.ts")>("src/prompts/manual.ts")).MANUAL).toEqual(MANUAL);
  expect(await index.manualIndex(nobody, COMMANDS)).toEqual(await manualIndex(async () => MANUAL, COMMANDS));
});

test("a binary imports all syscalls at once, in their order", async () => {
  const entrypoints = [join(import.meta.dir, "../src/syscalls/all.ts")];
  const outdir = join(scratch, "all");
  const { outputs } = await Bun.build({ entrypoints, outdir, target: "bun", plugins: [readyMade] });
  expect(await outputs[0]?.text()).not.toContain("await import(");
  const built: typeof import("../src/syscalls/all.ts") = await import(outputs[0]?.path ?? "");
  expect([...built.SYSCALLS.keys()]).toEqual([...SYSCALLS.keys()]);
});

test("dynamic imports of common commands share one chunk, and each module is the same everywhere", async () => {
  const root = join(scratch, "tree");
  const files = {
    "src/main.ts": `const { first } = await import("./first.ts");
      const { second } = await import("../commands/second.ts");
      const { cold } = await import("./cold.ts");
      console.log(first(), second(), cold(), (await import("./colder.ts")).colder);`,
    "src/first.ts": `import { count } from "./shared.ts"; export const first = () => count();`,
    "commands/second.ts": `import { count } from "../src/shared.ts"; export const second = () => count();`,
    "src/cold.ts": `import { count } from "./shared.ts"; export const cold = () => count();`,
    "src/colder.ts": `import { count } from "./shared.ts"; export const colder = count();`,
    "src/shared.ts": "let counted = 0; export const count = () => ++counted;",
  };
  for (const [path, text] of Object.entries(files)) await Bun.write(join(root, path), text);
  for (const folder of ["fs", "tui"]) mkdirSync(join(root, folder));
  const outdir = join(root, "out");
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    outdir,
    target: "bun",
    splitting: true,
    naming: "[name].[ext]",
    plugins: [hotChunk({ root, modules: ["src/first.ts", "commands/second.ts"] })],
  });
  const holding = async (word: string) => {
    const texts = await Promise.all(outputs.map(async (output) => [output.path, await output.text()] as const));
    return texts.filter(([, text]) => text.includes(word)).map(([path]) => path);
  };
  const [chunk] = await holding("++counted");
  expect(await holding("first = ()")).toEqual([chunk ?? ""]);
  expect(await holding("second = ()")).toEqual([chunk ?? ""]);
  expect(await holding("cold = ()")).not.toEqual([chunk ?? ""]);
  const ran = Bun.spawnSync([process.execPath, join(outdir, "main.js")], { env: {} });
  expect([ran.stdout.toString(), ran.stderr.toString()]).toEqual(["1 2 3 4\n", ""]);
});
