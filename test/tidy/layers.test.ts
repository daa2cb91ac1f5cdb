// Every import respects the layers; samples show that the check can fail.

import { expect, test } from "bun:test";
import { LAYERS, layerOf, layerOffences } from "./layers.ts";
import { PRODUCT, readTree, sampleTree } from "./tree.ts";

test("every file imports only from layers that its own layer may use", () => {
  expect(layerOffences(readTree(PRODUCT))).toEqual([]);
});

test("the matrix names only existing layers, and only the top may import everything", () => {
  for (const [name, { imports }] of Object.entries(LAYERS)) {
    for (const other of imports) expect(other === "*" ? name === "top" : Object.hasOwn(LAYERS, other)).toBe(true);
  }
});

test("a runtime import of a higher layer is found, a type-only one is not", () => {
  const tree = sampleTree({
    "src/abi/a.ts": 'import { openDb } from "../store/open.ts";\nopenDb();',
    "src/store/open.ts":
      'import type { A } from "../kernel/a.ts";\nexport function openDb(): A | null {\n  return null;\n}',
    "src/kernel/a.ts": "export interface A {}",
  });
  expect(layerOffences(tree)).toEqual(["src/abi/a.ts (abi) may not import src/store/open.ts: let boot hand it in"]);
});

test("SQLite outside the store, an SDK outside the providers and a lazy import upwards are found", () => {
  const tree = sampleTree({
    "src/kernel/a.ts": 'import { Database } from "bun:sqlite";\nnew Database(":memory:");',
    "commands/b.ts": 'const { default: OpenAI } = await import("openai");\nnew OpenAI();',
    "fs/c.ts": 'await import("../src/kernel/a.ts");',
    "src/main.ts": 'import { Database } from "bun:sqlite";\nnew Database(":memory:");',
  });
  expect(layerOffences(tree)).toHaveLength(4);
});

test("a folder without a layer is found", () => {
  expect(layerOf("src/surprise/a.ts")).toBeNull();
  expect(layerOffences(sampleTree({ "src/surprise/a.ts": "" }))).toHaveLength(1);
});

test("commands may import the filesystem's paths and no other file of it", () => {
  const tree = sampleTree({
    "commands/a.ts":
      'import { join } from "../fs/path.ts";\nimport { Namespace } from "../fs/namespace.ts";\njoin(Namespace);',
  });
  expect(layerOffences(tree)).toEqual(["commands/a.ts (commands) may not import fs/namespace.ts: let boot hand it in"]);
});
