// Packages that few commands need are files inside the binary, without bytecode, which takes three times the size of its source. Each is
// loaded when a module that imports it runs.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { leanMcp } from "./lean-sdks.ts";

const MCP = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/server/stdio",
] as const;
const PARSER = "turndown/lib/turndown.cjs.js";

export const latePackages: Bun.BunPlugin = {
  name: "late-packages",
  async setup(builder) {
    // Bundled before the build begins: a build within a build waits for ever.
    const files = { mcp: await mcpFile(), turndown: await htmlFile() };
    const modules = new Map<string, string>([["turndown", HTML]]);
    for (const name of MCP) modules.set(name, await mcpModule(name));
    builder.onResolve({ filter: /^late-file:/ }, ({ path }) => ({
      path: `/${path.slice("late-file:".length)}.js`,
      namespace: "late-file",
    }));
    builder.onLoad({ filter: /.*/, namespace: "late-file" }, ({ path }) => ({
      contents: path === "/mcp.js" ? files.mcp : files.turndown,
      loader: "file",
    }));
    builder.onResolve(
      { filter: /^(?:turndown|@modelcontextprotocol\/(?:client|server(?:\/stdio)?))$/ },
      ({ path }) => ({
        path,
        namespace: "late",
      }),
    );
    builder.onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: modules.get(path) ?? "",
      loader: "js",
    }));
  },
};

/** The parser is created at the first use: it would take 10 ms of the start of a Worker. */
const HTML = `import path from "late-file:turndown";
  export default function (options) { return new (require(path).default)(options); }`;

async function mcpModule(name: (typeof MCP)[number]): Promise<string> {
  const names = Object.keys(await import(name)).filter((each) => each !== "default");
  return `import path from "late-file:mcp"; export const { ${names.join(", ")} } = require(path).${alias(name)};`;
}

/** Client and server in one file, because they share most of their code. */
async function mcpFile(): Promise<string> {
  const exports = MCP.map((name) => {
    return `export * as ${alias(name)} from ${JSON.stringify(fileURLToPath(import.meta.resolve(name)))};`;
  });
  return await bundled(exports.join("\n"), [leanMcp]);
}

function alias(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

async function htmlFile(): Promise<string> {
  const parser = Bun.resolveSync(PARSER, dirname(Bun.resolveSync("just-bash/browser", import.meta.dir)));
  return await bundled(`export { default } from ${JSON.stringify(parser)};`, []);
}

async function bundled(source: string, plugins: Bun.BunPlugin[]): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), "gsv-bundle-"));
  const entry = join(scratch, "entry.js");
  try {
    await Bun.write(entry, source);
    const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun", minify: true, plugins });
    return (await outputs[0]?.text()) ?? "";
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
