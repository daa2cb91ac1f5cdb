// What the imports say as a whole: no cycles, no file that nothing reaches, no export that nobody takes.
// Cycles are looked for among static runtime imports: a lazy import cannot disturb the order in which modules start.

import { isCode, isTest, type SourceFile, type Tree } from "./tree.ts";

export const ENTRIES = [
  "src/main.ts",
  "src/boot/shell-worker.ts",
  "src/boot/code-worker.ts",
  "src/build.ts",
  "src/man.ts",
  "src/launch.mjs",
  // Whoever embeds gsv under the names of a process manager.
  "src/process/manager.ts",
];

/** Exports that only tests take, each with the reason why that is right. */
export const EXPORTS_FOR_TESTS: { readonly [fileAndName: string]: string } = {
  "src/build.ts build": "the test of the binary builds a small program that tries what gsv must not do",
  "commands/events.ts checkEvent":
    "the schema of `chat --json` as others would check it; every printed event is held against it",
  "src/abi/process.ts STATES": "random histories are held against the list of states",
  "src/abi/hook.ts HOOK_EVENTS": "the manual lists each with what it says",
  "src/process/restart.ts nextRestart": "when a fault counts anew is a rule of its own, to the millisecond",
  "src/process/manager.ts ProcessManager": "the words of others for what is there: nothing in gsv speaks them",
  "src/providers/table.ts loadProvider": "providers are tried one by one, as they are listed",
  "src/build.ts GSV": "the benchmark builds gsv as npm run build does",
  "src/boot/shell.ts newShellRunner": "scripts are tried in the Workers that run them",
  "src/boot/keychain.ts answering": "a keychain that never answers is tried without the one of this machine",
  "src/boot/terminal.ts lineFrom": "what keys make of a line is tried without a terminal",
  "src/process/compaction/writer.ts requestFor": "the request for a summary is held against its golden bytes",
  "commands/events.ts EVENT_TYPES": "the same schema as a list; a test sees each type printed",
};

export function cycles(tree: Tree): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  function visit(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(" → "));
    if (start >= 0 || done.has(path)) return;
    for (const { target, own, kind } of tree.get(path)?.imports ?? []) {
      if (own && kind === "static") visit(target, [...trail, path]);
    }
    done.add(path);
  }
  for (const path of tree.keys()) visit(path, []);
  return found;
}

export function deadFiles(tree: Tree, entries: readonly string[]): string[] {
  const reached = new Set<string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { target, own } of tree.get(path)?.imports ?? []) if (own) waiting.push(target);
  }
  return [...tree.keys()]
    .filter((path) => !isTest(path) && !path.endsWith(".d.ts") && !reached.has(path))
    .map((path) => `${path}: no entry reaches it, use it or remove it`);
}

export function deadExports(tree: Tree, allowed: { readonly [fileAndName: string]: string }): string[] {
  const offences: string[] = [];
  const importers = importersOf(tree);
  for (const file of tree.values()) {
    if (isTest(file.path) || !isCode(file.path)) continue;
    const users = importers.get(file.path) ?? [];
    for (const { name, type } of exportsOf(file)) {
      const word = new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`, "g");
      const taken = users.some((user) => (type || !isTest(user.path)) && user.text.search(word) >= 0);
      // A type may also be there to make its own file's signatures readable.
      const usedAtHome = type && (file.text.match(word)?.length ?? 0) > 1;
      if (taken || usedAtHome || Object.hasOwn(allowed, `${file.path} ${name}`)) continue;
      offences.push(`${file.path}: nobody takes the export "${name}": drop "export", or the code`);
    }
  }
  return offences;
}

function importersOf(tree: Tree): Map<string, SourceFile[]> {
  const importers = new Map<string, SourceFile[]>();
  for (const file of tree.values()) {
    for (const target of new Set(file.imports.map((one) => one.target))) {
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

function exportsOf(file: SourceFile): { name: string; type: boolean }[] {
  const declared =
    /^export (?:declare )?(?:async )?(?:abstract )?(function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm;
  return [...file.text.matchAll(declared)].map(([, kind, name]) => ({
    name: name ?? "",
    type: kind === "interface" || kind === "type",
  }));
}
