// No import circles, no dead files, no dead exports; samples show that each check can fail.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { circles, deadExports, deadFiles, ENTRIES, EXPORTS_FOR_TESTS } from "./graph.ts";
import { type Import, isTest, PRODUCT, ROOT, readTree, type SourceFile, sampleTree } from "./tree.ts";

const tree = readTree([...PRODUCT, "test"]);

function packageOf({ target }: Import): string {
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
}

test("no files import each other in a circle, types and lazy imports included", () => {
  expect(circles(tree)).toEqual([]);
});

test("every file of the product is reached from an entry", () => {
  expect(deadFiles(tree, ENTRIES)).toEqual([]);
});

test("another file of the product uses every export", () => {
  expect(deadExports(tree, EXPORTS_FOR_TESTS)).toEqual([]);
});

test("every installed package is imported, except the tools of the scripts", () => {
  const manifest: Record<"dependencies" | "devDependencies", object> = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const files = [...tree.values()];
  const importedBy = (some: readonly SourceFile[]) => new Set(some.flatMap((file) => file.imports.map(packageOf)));
  const [byProduct, byAll] = [importedBy(files.filter(({ path }) => !isTest(path))), importedBy(files)];
  expect(Object.keys(manifest.dependencies).filter((name) => !byProduct.has(name))).toEqual([]);
  const tools = [
    "@biomejs/biome",
    "@modelcontextprotocol/conformance",
    "@types/bun",
    "@types/react",
    "bun",
    "typescript",
  ];
  const idle = Object.keys(manifest.devDependencies).filter((name) => !byAll.has(name));
  expect(idle.filter((name) => !tools.includes(name))).toEqual([]);
});

test("every listed exception is a real export", () => {
  for (const name of Object.keys(EXPORTS_FOR_TESTS)) {
    const [path, exported] = name.split(" ");
    expect(tree.get(path ?? "")?.text ?? "").toMatch(new RegExp(`^export .*\\b${exported}\\b`, "m"));
  }
});

test("every kind of import can close a circle", () => {
  const closedBy = (line: string) =>
    sampleTree({
      "src/a.ts": 'import { b } from "./b.ts";\nexport const a = () => b;',
      "src/b.ts": 'import { c } from "./c.ts";\nexport const b = () => c;',
      "src/c.ts": line,
      "src/d.ts": 'import { a } from "./a.ts";\nexport const d = a;',
    });
  const circle = ["src/a.ts src/b.ts src/c.ts"];
  expect(circles(closedBy('import { a } from "./a.ts";\nexport const c = () => a;'))).toEqual(circle);
  expect(circles(closedBy('import type { a } from "./a.ts";\nexport const c: typeof a | null = null;'))).toEqual(
    circle,
  );
  expect(circles(closedBy('export const c = () => import("./a.ts");'))).toEqual(circle);
  expect(circles(closedBy("export const c = 1;"))).toEqual([]);
});

test("type imports, lazy imports, text imports and worker URLs keep a file alive; the rest is dead", () => {
  const sample = sampleTree({
    "src/main.ts":
      'import type { T } from "./t.ts";\nimport page from "./page.md" with { type: "text" };\n' +
      'await import("./lazy.ts");\nnew Worker(new URL("./worker.ts", import.meta.url));\nconsole.log(page as T);',
    "src/t.ts": "export type T = string;",
    "src/page.md": "# page",
    "src/lazy.ts": "",
    "src/worker.ts": "",
    "src/dead.ts": 'import "./main.ts";',
    "src/dead.md": "# nobody reads this",
  });
  expect(
    deadFiles(sample, ["src/main.ts"])
      .map((line) => line.split(":")[0])
      .sort(),
  ).toEqual(["src/dead.md", "src/dead.ts"]);
});

test("an export that only tests use is dead, unless it is listed with a reason", () => {
  const sample = sampleTree({
    "src/a.ts":
      "export function used() {}\nexport function tested() {}\nexport const alone = 1;\n" +
      "export interface Options {}\nexport function takes(options: Options) {}\nexport type Unused = 1;",
    "src/b.ts": 'import { takes, used } from "./a.ts";\nused();\ntakes({});',
    "test/a.test.ts": 'import { tested } from "../src/a.ts";\ntested();',
  });
  const names = (allowed: { [name: string]: string }) => deadExports(sample, allowed).map((line) => line.split('"')[1]);
  expect(names({})).toEqual(["tested", "alone", "Unused"]);
  expect(names({ "src/a.ts tested": "a reason" })).toEqual(["alone", "Unused"]);
});
