// Puts the modules that nearly every command loads into one chunk: 1.2 ms of the 17 ms of `gsv proc list`. The bundler makes a chunk for each
// set of dynamic imports, and each is opened and linked. Here every dynamically imported module imports the hot modules first, so that all of
// them have the same set.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const HOT = "gsv:hot";
const SOURCES = ["src", "commands", "fs", "tui"];
/** A dynamic import with a literal path. */
const DYNAMIC = /\bimport\("(\.{1,2}\/[^"]+\.ts)"\)/g;

export interface HotOptions {
  readonly root: string;
  /** Paths of the modules that common commands import dynamically. Their imports come with them. */
  readonly modules: readonly string[];
  /** Dynamically imported before them, and without them. */
  readonly before?: readonly string[];
}

export function hotChunk({ root, modules, before = [] }: HotOptions): Bun.BunPlugin {
  const hot = new Map(modules.map((path, at) => [join(root, path), `module${at}`]));
  const sources = new Set(SOURCES.flatMap((folder) => sourcesIn(join(root, folder))));
  const late = new Set([...sources].flatMap(dynamicImports));
  const alone = new Set([...hot.keys(), ...before.map((path) => join(root, path))]);
  const unused = [...hot.keys()].find((path) => !late.has(path));
  if (unused !== undefined) throw new Error(`no module imports ${unused} dynamically: remove it from the hot modules`);
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
        return {
          contents: late.has(path) && !alone.has(path) ? `import "${HOT}";\n${contents}` : contents,
          loader: "ts",
        };
      });
    },
  };
}

// For `export * as` the bundler makes an object of getters, which costs more than loading the modules.
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
