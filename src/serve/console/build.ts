// Builds the web console from its sources, in a few milliseconds: page, script, style and icon, compressed. Their names contain a hash of the
// content, so browsers may keep these files forever.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { ConsoleFile } from "./file.ts";

const SOURCES = join(import.meta.dir, "../../../tui/web");
const TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
const HASH_CHARS = 12;

/** Throws the errors of the bundler. `quality`: of the compression, at most 11. */
export async function builtConsole(quality: number): Promise<readonly ConsoleFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SOURCES, "main.tsx"), join(SOURCES, "speech/voice.ts")],
    target: "browser",
    format: "esm",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withPreact],
  });
  const built = async (name: `${string}.${"js" | "css"}`) => {
    const text = await outputs.find(({ path }) => path.endsWith(`/${name}`))?.text();
    return fileOf(name, text ?? "", quality);
  };
  const read = (name: string) => readFileSync(join(SOURCES, name), "utf8");
  const [script, style, voice] = [await built("main.js"), await built("main.css"), await built("voice.js")];
  const icon = fileOf("icon.svg", read("icon.svg"), quality);
  const page = read("index.html")
    .replace("main.tsx", script.path)
    .replace("console.css", style.path)
    .replace("icon.svg", icon.path);
  const voicePage = read("speech/voice.html").replace("voice.ts", voice.path);
  const pages = [fileOf("index.html", page, quality), fileOf("voice.html", voicePage, quality)];
  return [...pages, script, style, icon, voice];
}

const PAGES: { readonly [name: string]: string } = { "index.html": "/", "voice.html": "/voice" };

function fileOf(name: `${string}.${keyof typeof TYPES}`, text: string, quality: number): ConsoleFile {
  if (text === "") throw new Error(`the console has no ${name}`);
  const [base = "", extension] = name.split(".") as [string, keyof typeof TYPES];
  const tag = createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS);
  const path = PAGES[name] ?? `/a/${base === "voice" ? base : "console"}-${tag}.${extension}`;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  return { path, type: TYPES[extension], tag, brotli: new Uint8Array(brotliCompressSync(text, { params })) };
}

/** Preact in place of React: the same interface, a third of the size. */
const withPreact: Bun.BunPlugin = {
  name: "with-preact",
  setup(builder) {
    builder.onResolve({ filter: /^react(?:-dom)?(?:\/.*)?$/ }, ({ path }) => {
      const name = path.startsWith("react/jsx") ? "preact/jsx-runtime" : "preact/compat";
      return { path: Bun.resolveSync(name, SOURCES) };
    });
  },
};
