// Computes constant modules at build time: 8 ms of `gsv help`. Each of these modules says so at its head and also works without a build.
// Long texts are compressed files of the binary: in a module, a text is stored twice, as source and in the bytecode.

import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const CONSOLE = join(ROOT, "src/serve/console/files.ts");

/** Files of the binary by name. */
type Files = Map<string, Uint8Array>;

/** Modules and the source that replaces them. Loaded on demand, because not every built program has them. */
const READY: { readonly [path: string]: (files: Files) => Promise<string> } = {
  "src/abi/config/environment.ts": async () => constants(await import("../abi/config/environment.ts")),
  "src/syscalls/all.ts": () => allAtOnce(join(ROOT, "src/syscalls/table.ts")),
  "src/store/migrations/editions.ts": async () => constants(await import("../store/migrations/editions.ts")),
  async "src/store/migrations/images.ts"() {
    const { kernelImage, processImage } = await import("../store/migrations/images.ts");
    return `${inflated("kernelImage", kernelImage())}\n${inflated("processImage", processImage())}`;
  },
  async "src/prompts/manual.ts"(files) {
    const { MANUAL } = await import("../prompts/manual.ts");
    return `${unpacked(files, "manual", MANUAL)}\nexport const MANUAL = unpacked();`;
  },
  async "commands/man/man-index.ts"(files) {
    const { manualIndex } = await import("../../commands/man/man-index.ts");
    const { COMMANDS } = await import("../../commands/table.ts");
    const { MANUAL } = await import("../prompts/manual.ts");
    const index = await manualIndex(async () => MANUAL, COMMANDS);
    return `${unpacked(files, "man-index", index)}\nexport const manualIndex = async () => unpacked();`;
  },
  async "src/tools/quickjs-wasm.ts"(files) {
    const { quickjsWasm } = await import("../tools/quickjs-wasm.ts");
    const source = packed(files, "quickjs-wasm", new Uint8Array(await quickjsWasm()));
    return `${source}\nexport const quickjsWasm = async () => new Uint8Array(bytes()).buffer;`;
  },
  async "commands/man/summaries.ts"() {
    const { summaries } = await import("../../commands/man/summaries.ts");
    const { COMMANDS } = await import("../../commands/table.ts");
    return `export const summaries = async () => ${JSON.stringify(await summaries(COMMANDS))};`;
  },
};

export const readyMade: Bun.BunPlugin = {
  name: "ready-made",
  async setup(builder) {
    const files: Files = new Map();
    // Bundled before the build begins: a build within a build waits for ever.
    const consoleModule = await readyConsole(files);
    builder.onResolve({ filter: /^ready-file:/ }, ({ path }) => ({
      path: `/${path.slice("ready-file:".length)}`,
      namespace: "ready-file",
    }));
    builder.onLoad({ filter: /.*/, namespace: "ready-file" }, ({ path }) => ({
      contents: files.get(path.slice(1)) ?? "",
      loader: "file",
    }));
    builder.onLoad(
      { filter: /[\\/](?:all|environment|editions|images|files|man-index|manual|quickjs-wasm|summaries)\.ts$/ },
      async ({ path }) => {
        if (path === CONSOLE) return { contents: consoleModule, loader: "js" };
        const ready = Object.entries(READY).find(([own]) => join(ROOT, own) === path)?.[1];
        return ready === undefined ? undefined : { contents: await ready(files), loader: "js" };
      },
    );
  },
};

async function readyConsole(files: Files): Promise<string> {
  const { builtConsole } = await import("../serve/console/build.ts");
  const built = await builtConsole(11);
  const imports = built.map(({ brotli }, at) => {
    files.set(`console-${at}.br`, brotli);
    return `import brotli${at} from "ready-file:console-${at}.br";`;
  });
  const rows = built.map(({ path, type, tag }, at) => {
    return `{ ...${JSON.stringify({ path, type, tag })}, brotli: await Bun.file(brotli${at}).bytes() }`;
  });
  return `${imports.join("\n")}\nexport const consoleFiles = async () => [${rows.join(", ")}];`;
}

/** Imports all declarations statically: their 45 dynamic imports are a tenth of a kernel's start. */
async function allAtOnce(table: string): Promise<string> {
  const files = [...(await Bun.file(table).text()).matchAll(/\(await import\("([^"]+)"\)\)\.(\w+)/g)];
  const imports = files.map(([, path, name]) => `import { ${name} } from "${path}";`);
  const lists = files.map(([, , name]) => `...${name}`).join(", ");
  return `${imports.join("\n")}\nexport const SYSCALLS = new Map([${lists}].map((call) => [call.name, call]));`;
}

function inflated(name: string, bytes: Uint8Array): string {
  const packed = Bun.zstdCompressSync(bytes, { level: 19 }).toString("base64");
  return `export const ${name} = () => Bun.zstdDecompressSync(Buffer.from("${packed}", "base64"));`;
}

/** The source of a function `unpacked` that returns the value. */
function unpacked(files: Files, name: string, value: unknown): string {
  const source = packed(files, name, Buffer.from(JSON.stringify(value)));
  return `${source}\nconst unpacked = () => JSON.parse(bytes().toString());`;
}

/** The source of a function `bytes` that returns a buffer with these bytes. */
function packed(files: Files, name: string, bytes: Uint8Array<ArrayBuffer>): string {
  files.set(`${name}.zst`, Bun.zstdCompressSync(bytes, { level: 19 }));
  return `import { readFileSync } from "node:fs";
    import path from "ready-file:${name}.zst";
    const bytes = () => Bun.zstdDecompressSync(readFileSync(new URL(path, import.meta.url)));`;
}

function constants(module: object): string {
  return Object.entries(module)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");
}
