// Computes constant modules at build time: 8 ms of `gsv help`. Each of these modules says so at its head and also works without a build.

import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const CONSOLE = join(ROOT, "src/serve/console/files.ts");

/** Modules and the source that replaces them. Loaded on demand, because not every built program has them. */
const READY: { readonly [path: string]: () => Promise<string> } = {
  "src/abi/config/environment.ts": async () => constants(await import("../abi/config/environment.ts")),
  "src/syscalls/all.ts": () => allAtOnce(join(ROOT, "src/syscalls/table.ts")),
  "src/store/migrations/editions.ts": async () => constants(await import("../store/migrations/editions.ts")),
  async "src/store/migrations/images.ts"() {
    const { kernelImage, processImage } = await import("../store/migrations/images.ts");
    return `${inflated("kernelImage", kernelImage())}\n${inflated("processImage", processImage())}`;
  },
  async "commands/man/man-index.ts"() {
    const { manualIndex } = await import("../../commands/man/man-index.ts");
    const { COMMANDS } = await import("../../commands/table.ts");
    const { MANUAL } = await import("../prompts/manual.ts");
    const text = JSON.stringify(await manualIndex(async () => MANUAL, COMMANDS));
    return `export const manualIndex = async () => JSON.parse(${JSON.stringify(text)});`;
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
    // Bundled before the build begins: a build within a build waits for ever.
    const consoleModule = await readyConsole();
    builder.onLoad(
      { filter: /[\\/](?:all|environment|editions|images|files|man-index|summaries)\.ts$/ },
      async ({ path }) => {
        if (path === CONSOLE) return { contents: consoleModule, loader: "js" };
        const ready = Object.entries(READY).find(([own]) => join(ROOT, own) === path)?.[1];
        return ready === undefined ? undefined : { contents: await ready(), loader: "js" };
      },
    );
  },
};

async function readyConsole(): Promise<string> {
  const { builtConsole } = await import("../serve/console/build.ts");
  const files = await builtConsole(11);
  const texts = files.map(({ brotli, ...file }) => ({ ...file, brotli: Buffer.from(brotli).toString("base64") }));
  return `const files = ${JSON.stringify(texts)};
    export const consoleFiles = async () => files.map((file) => ({ ...file, brotli: Buffer.from(file.brotli, "base64") }));`;
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

function constants(module: object): string {
  return Object.entries(module)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");
}
