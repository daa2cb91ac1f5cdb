// Checks of the import graph: circles (types and lazy imports included), dead files, dead exports.

import { isCode, isTest, type SourceFile, type Tree } from "./tree.ts";

export const ENTRIES = [
  "src/main.ts",
  "src/workers/shell-worker.ts",
  "src/workers/code-worker.ts",
  "src/workers/search-worker.ts",
  "src/build.ts",
  "src/man.ts",
  "src/launch.mjs",
  // The bundler starts from these: src/serve/console/build.ts.
  "tui/web/main.tsx",
  "tui/web/index.html",
  "tui/web/icon.svg",
  "tui/web/speech/voice.ts",
  "tui/web/speech/voice.html",
  "tui/web/tsconfig.json",
];

/** Exports that only tests use, each with the reason. */
export const EXPORTS_FOR_TESTS: { readonly [fileAndName: string]: string } = {
  "src/abi/programs.ts PROGRAMS": "a test checks that no guard has a second list",
  "src/serve/asset-name.ts assetName": "the names of builds for other computers than this one",
  "src/build.ts build": "the test of the binary builds a small program that tries what gsv must not do",
  "src/abi/process/process.ts STATES": "random histories are held against the list of states",
  "src/abi/hook.ts HOOK_EVENTS": "the manual lists each with what it says",
  "src/process/faults/restart.ts nextRestart": "when a fault counts anew is a rule of its own, to the millisecond",
  "src/providers/table.ts loadProvider": "providers are tried one by one, as they are listed",
  "src/build.ts GSV": "the benchmark builds gsv as npm run build does",
  "src/workers/workers.ts newShellRunner": "scripts are tried in the Workers that run them",
  "src/machine/keychain.ts answering": "a keychain that never answers is tried without the one of this machine",
  "src/machine/terminal.ts lineFrom": "what keys make of a line is tried without a terminal",
  "src/process/history/compaction/writer.ts requestFor": "the request for a summary is held against its golden bytes",
  "commands/events.ts EVENT_TYPES": "the same schema as a list; a test sees each type printed",
};

/** Files that import each other in a circle, each circle as one line of paths. Every kind of import counts. */
export function circles(tree: Tree): string[] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  function visit(path: string): void {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    stack.push(path);
    for (const { target, own } of tree.get(path)?.imports ?? []) {
      if (!own || !tree.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) found.push(circle.sort());
  }
  for (const path of tree.keys()) if (!order.has(path)) visit(path);
  return found.map((circle) => circle.join(" ")).sort();
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
      // A type may exist only for the signatures of its own file.
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
