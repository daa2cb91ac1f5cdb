// Packages that few commands need are compressed files inside the binary, without bytecode, which takes three times the size of its source.
// Each is loaded when a module that imports it runs.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { leanMcp } from "./lean-sdks.ts";

/** Client and server are in one file, because they share most of their code. */
const FILES: { readonly [file: string]: readonly string[] } = {
  mcp: ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
  git: ["simple-git"],
};
const PARSER = "turndown/lib/turndown.cjs.js";
/** The beginning of a CommonJS module that Bun bundled. */
const COMMON_JS = "// @bun @bun-cjs\n(function(exports, require, module";

export const latePackages: Bun.BunPlugin = {
  name: "late-packages",
  async setup(builder) {
    // Bundled before the build begins: a build within a build waits for ever.
    const files = new Map([["html", await htmlFile()]]);
    const modules = new Map([["turndown", HTML]]);
    for (const [file, names] of Object.entries(FILES)) {
      files.set(file, await packageFile(names));
      for (const name of names) modules.set(name, await packageModule(file, name));
    }
    const names = [...modules.keys()].join("|");
    builder.onResolve({ filter: new RegExp(`^(?:${names})$`) }, ({ path }) => ({ path, namespace: "late" }));
    builder.onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: modules.get(path) ?? "",
      loader: "js",
    }));
    builder.onResolve({ filter: /^late:/ }, ({ path }) => ({ path: path.slice("late:".length), namespace: "loaded" }));
    builder.onLoad({ filter: /.*/, namespace: "loaded" }, ({ path }) => ({ contents: loader(path), loader: "js" }));
    builder.onResolve({ filter: /^late-file:/ }, ({ path }) => ({
      path: `/${path.slice("late-file:".length)}.zst`,
      namespace: "late-file",
    }));
    builder.onLoad({ filter: /.*/, namespace: "late-file" }, ({ path }) => ({
      contents: files.get(path.slice(1, -".zst".length)) ?? "",
      loader: "file",
    }));
  },
};

/** The parser is created at the first use: it would take 10 ms of the start of a Worker. */
const HTML = `import { loaded } from "late:html";
  export default function (options) { return new (loaded().default)(options); }`;

async function packageModule(file: string, name: string): Promise<string> {
  const names = Object.keys(await import(name)).filter((each) => each !== "default");
  return `import { loaded } from "late:${file}"; export const { ${names.join(", ")} } = loaded().${alias(name)};`;
}

/** Unpacks and runs a file once, whichever module needs it first. */
function loader(file: string): string {
  return `import { readFileSync } from "node:fs";
    import path from "late-file:${file}";
    let exports;
    export function loaded() {
      if (exports !== undefined) return exports;
      const source = Bun.zstdDecompressSync(readFileSync(new URL(path, import.meta.url))).toString();
      const module = { exports: {} };
      (0, eval)(source)(module.exports, require, module);
      return (exports = module.exports);
    }`;
}

function packageFile(names: readonly string[]): Promise<Uint8Array> {
  const exports = names.map((name) => {
    return `export * as ${alias(name)} from ${JSON.stringify(fileURLToPath(import.meta.resolve(name)))};`;
  });
  return bundled(exports.join("\n"), [leanMcp]);
}

function alias(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

function htmlFile(): Promise<Uint8Array> {
  const parser = Bun.resolveSync(PARSER, dirname(Bun.resolveSync("just-bash/browser", import.meta.dir)));
  return bundled(`export { default } from ${JSON.stringify(parser)};`, []);
}

async function bundled(source: string, plugins: Bun.BunPlugin[]): Promise<Uint8Array> {
  const scratch = await mkdtemp(join(tmpdir(), "gsv-bundle-"));
  const entry = join(scratch, "entry.js");
  try {
    await Bun.write(entry, source);
    const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun", format: "cjs", minify: true, plugins });
    const text = (await outputs[0]?.text()) ?? "";
    if (!text.startsWith(COMMON_JS)) throw new Error("Bun bundles CommonJS modules otherwise than gsv knows");
    return Bun.zstdCompressSync(text, { level: 19 });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
