// One chunk for what nearly every command loads. The bundler puts modules that different sets of dynamic imports reach into different
// chunks, sixty for `gsv proc list`, and each costs its own opening and linking: half the time of the command. Here all of them get the
// same set: whatever is imported dynamically imports the hot modules first, and a hot one is itself only reached through them.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const HOT = "gsv:hot";
const SOURCES = ["src", "commands", "fs", "tui"];
/** An import whose module is written out, as all of gsv's own are. */
const DYNAMIC = /\bimport\("(\.{1,2}\/[^"]+\.ts)"\)/g;

export interface HotOptions {
  readonly root: string;
  /** Modules that are imported dynamically on the way of common commands, from the root; what they import comes with them. */
  readonly modules: readonly string[];
}

export function hotChunk({ root, modules }: HotOptions): Bun.BunPlugin {
  const hot = new Map(modules.map((path, at) => [join(root, path), `module${at}`]));
  const sources = new Set(SOURCES.flatMap((folder) => sourcesIn(join(root, folder))));
  const cold = new Set([...sources].flatMap(dynamicImports).filter((path) => !hot.has(path)));
  return {
    name: "hot-chunk",
    setup(builder) {
      builder.onResolve({ filter: /^gsv:hot$/ }, () => ({ path: HOT, namespace: "hot" }));
      builder.onLoad({ filter: /.*/, namespace: "hot" }, () => ({
        contents: [...hot].map(([path, name]) => asObject(path, name)).join("\n"),
        loader: "ts",
        resolveDir: root,
      }));
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!sources.has(path)) return undefined;
        const contents = readFileSync(path, "utf8").replace(DYNAMIC, (whole, specifier: string) => {
          const name = hot.get(join(dirname(path), specifier));
          return name === undefined ? whole : `import("${HOT}").then((hot) => hot.${name})`;
        });
        return { contents: cold.has(path) ? `import "${HOT}";\n${contents}` : contents, loader: "ts" };
      });
    },
  };
}

// For `export * as` the bundler would make an object of getters, one call for each export: more work than all the modules do at their start.
function asObject(path: string, name: string): string {
  const { exports } = new Bun.Transpiler({ loader: "ts" }).scan(readFileSync(path, "utf8"));
  const taken = exports.map((each) => `${each} as ${name}_${each}`).join(", ");
  const held = exports.map((each) => `${each}: ${name}_${each}`).join(", ");
  return `import { ${taken} } from ${JSON.stringify(path)};\nexport const ${name} = { ${held} };`;
}

function dynamicImports(path: string): string[] {
  return [...readFileSync(path, "utf8").matchAll(DYNAMIC)].map(([, specifier = ""]) => join(dirname(path), specifier));
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}
