// Allowed imports between layers, as data. boot passes a lower layer what it needs from a higher one.
// Type-only imports are exempt: they do not exist at run time.

import { isTest, type Tree } from "./tree.ts";

interface Layer {
  /** Path prefixes; the first layer that matches a file is its layer. */
  readonly files: readonly string[];
  /** Layers (by name) it may import besides itself; "*" is everything. */
  readonly imports: readonly string[];
  /** Packages and builtins besides node:*, which every layer but abi may use. */
  readonly packages?: readonly string[];
}

const BELOW_KERNEL = [
  "abi",
  "lib",
  "store",
  "objects",
  "repos",
  "providers",
  "prompts",
  "fs",
  "targets",
  "tools",
  "syscalls",
];

export const LAYERS: { readonly [name: string]: Layer } = {
  top: {
    files: [
      "src/main.ts",
      "src/boot",
      "src/client/",
      "src/machine/",
      "src/workers/",
      "src/build.ts",
      "src/man.ts",
      "src/bundle",
      "src/launch.mjs",
    ],
    imports: ["*"],
  },
  version: { files: ["src/version.ts"], imports: ["package"] },
  package: { files: ["package.json"], imports: [] },
  paths: { files: ["src/paths.ts"], imports: ["abi", "lib"] },
  abi: { files: ["src/abi/"], imports: [], packages: ["zod"] },
  lib: { files: ["src/lib/"], imports: [] },
  store: { files: ["src/store/"], imports: ["abi", "lib"], packages: ["bun:sqlite"] },
  objects: { files: ["src/objects/"], imports: ["abi", "lib"] },
  repos: { files: ["src/repos/"], imports: ["abi", "lib"], packages: ["simple-git"] },
  providers: { files: ["src/providers/"], imports: ["abi", "lib"], packages: ["@anthropic-ai/sdk", "openai"] },
  prompts: { files: ["src/prompts/"], imports: ["abi", "lib"] },
  rpc: { files: ["src/rpc/"], imports: ["abi", "lib"] },
  serve: { files: ["src/serve/"], imports: ["abi", "lib", "rpc"], packages: ["@modelcontextprotocol/server"] },
  targets: { files: ["src/targets/"], imports: ["abi", "lib"] },
  tools: {
    files: ["src/tools/"],
    imports: ["abi", "lib"],
    packages: ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"],
  },
  hooks: { files: ["src/hooks/"], imports: ["abi", "lib"] },
  backup: { files: ["src/backup/"], imports: ["abi", "lib", "store", "objects", "repos"] },
  doctor: { files: ["src/doctor/"], imports: ["abi", "lib"] },
  jobs: { files: ["src/jobs/"], imports: ["abi", "lib"], packages: ["fflate"] },
  syscalls: { files: ["src/syscalls/"], imports: ["abi", "lib"], packages: ["zod"] },
  kernel: { files: ["src/kernel/"], imports: BELOW_KERNEL, packages: ["chokidar"] },
  // seed-002's face: a client of the kernel like any other.
  manager: { files: ["src/process/manager/"], imports: ["process", "top", "abi", "lib"] },
  due: { files: ["src/due/"], imports: ["process", "kernel", ...BELOW_KERNEL] },
  process: { files: ["src/process/"], imports: ["kernel", ...BELOW_KERNEL], packages: ["fflate"] },
  sessions: { files: ["src/sessions/"], imports: ["process", "kernel", ...BELOW_KERNEL] },
  apps: { files: ["src/apps/"], imports: ["process", "kernel", ...BELOW_KERNEL] },
  links: {
    files: ["src/links/"],
    imports: ["process", "kernel", ...BELOW_KERNEL],
    packages: ["@modelcontextprotocol/client"],
  },
  "fs/path": { files: ["fs/path.ts"], imports: ["abi", "lib"] },
  fs: { files: ["fs/"], imports: ["abi", "lib", "fs/path"] },
  programs: { files: ["src/shell/programs/"], imports: ["abi", "lib"] },
  shell: {
    files: ["src/shell/"],
    imports: ["abi", "lib", "syscalls", "fs/path", "programs", "commands"],
    packages: ["just-bash"],
  },
  commands: {
    files: ["commands/"],
    imports: ["abi", "lib", "syscalls", "fs/path", "programs"],
    packages: ["commander", "@modelcontextprotocol/server"],
  },
  // Runs in a browser, with Preact in place of React.
  web: {
    files: ["tui/web/"],
    imports: ["abi", "lib", "rpc", "syscalls", "commands", "tui"],
    packages: ["preact", "react", "virtua", "marked", "diff"],
  },
  tui: { files: ["tui/"], imports: ["abi", "lib", "commands", "programs", "shell"], packages: ["react", "ink"] },
};

export function layerOf(path: string): string | null {
  return Object.keys(LAYERS).find((name) => LAYERS[name]!.files.some((prefix) => path.startsWith(prefix))) ?? null;
}

export function layerOffences(tree: Tree): string[] {
  const offences: string[] = [];
  for (const file of tree.values()) {
    if (isTest(file.path)) continue;
    const name = layerOf(file.path);
    if (name === null) {
      offences.push(`${file.path} belongs to no layer: give its folder a line in test/tidy/layers.ts`);
      continue;
    }
    for (const { target, own, kind } of file.imports) {
      if (kind === "type") continue;
      if (own ? !mayImport(name, target) : !mayUse(name, target)) {
        offences.push(`${file.path} (${name}) may not import ${target}: let boot hand it in`);
      }
    }
  }
  return offences;
}

function mayImport(layer: string, target: string): boolean {
  const other = layerOf(target);
  const allowed = LAYERS[layer]?.imports ?? [];
  if (other === "fs/path" && allowed.includes("fs")) return true;
  return other === layer || allowed.includes("*") || (other !== null && allowed.includes(other));
}

function mayUse(layer: string, name: string): boolean {
  const rules = LAYERS[layer];
  if (rules?.imports.includes("*")) return name !== "bun:sqlite";
  if (name.startsWith("node:")) return layer !== "abi";
  return rules?.packages?.some((allowed) => name === allowed || name.startsWith(`${allowed}/`)) ?? false;
}
