// Limits for files, functions and folders; samples show that the check counts right.

import { expect, test } from "bun:test";
import { folderOffences, LIMITS, sizeOffences } from "./size.ts";
import { PRODUCT, readTree, sampleTree } from "./tree.ts";

test("no file and no function is over its limit", () => {
  expect(sizeOffences(readTree([...PRODUCT, "test"]))).toEqual([]);
});

test("no folder has too many files", () => {
  expect(folderOffences(readTree(PRODUCT))).toEqual([]);
  const files = Object.fromEntries(Array.from({ length: LIMITS.folder + 1 }, (_, at) => [`src/kernel/f${at}.ts`, ""]));
  expect(folderOffences(sampleTree(files))).toHaveLength(1);
  expect(folderOffences(sampleTree({ ...files, "src/kernel/f0.ts": "", "src/kernel/rooms/g.ts": "" }))).toHaveLength(1);
});

function body(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `  step(${at});`).join("\n");
}

function offencesIn(text: string): string[] {
  return sizeOffences(sampleTree({ "src/kernel/a.ts": text }));
}

test("a function of exactly the limit passes and one line more does not", () => {
  const inner = LIMITS.function - 2;
  expect(offencesIn(`export function a() {\n${body(inner)}\n}\n`)).toEqual([]);
  expect(offencesIn(`export function a() {\n${body(inner + 1)}\n}\n`)).toHaveLength(1);
});

test("parameters over several lines do not hide a long body", () => {
  const long = body(LIMITS.function);
  expect(
    offencesIn(`async function a(options: {\n  b: number;\n}): Promise<{\n  c: number;\n}> {\n${long}\n}\n`),
  ).toHaveLength(1);
  expect(offencesIn(`const a = async (\n  b: number,\n) => {\n${long}\n};\n`)).toHaveLength(1);
  expect(
    offencesIn(`class A {\n  async b(c: number): Promise<void> {\n${long.replaceAll(/^/gm, "  ")}\n  }\n}\n`),
  ).toHaveLength(1);
});

test("neighbors, calls, tables and groups of tests are not counted together", () => {
  const half = `function a() {\n${body(40)}\n}\n`;
  expect(offencesIn(half + half.replace("a()", "b()"))).toEqual([]);
  expect(offencesIn(`call(\n${body(80).replaceAll(";", ",")}\n);\nif (x) {\n  y();\n}\n`)).toEqual([]);
  expect(offencesIn(`export const table = [\n${body(80).replaceAll(";", ",")}\n];\n`)).toEqual([]);
  expect(offencesIn(`describe("a", () => {\n${body(80)}\n});\n`)).toEqual([]);
  const claim = `  test("a", async () => {\n${body(40).replaceAll(/^/gm, "  ")}\n  });\n`;
  expect(offencesIn(`export function contract() {\n${claim}${claim}}\n`)).toEqual([]);
});

test("methods of a returned object count on their own, callbacks count with their function", () => {
  const method = (name: string) => `    ${name}(x) {\n${body(30).replaceAll(/^/gm, "    ")}\n    },\n`;
  const arrow = (name: string) => `    ${name}: async (x) => {\n${body(30).replaceAll(/^/gm, "    ")}\n    },\n`;
  const factory = (inner: string) => `export function make() {\n  return {\n${inner}  };\n}\n`;
  expect(offencesIn(factory(method("a") + arrow("b") + method("c")))).toEqual([]);
  expect(offencesIn(factory(method("a").replace(body(1), body(80))))).toHaveLength(1);
  const callback = `  each((x) => {\n${body(40)}\n  });\n`.replaceAll("\n  step", "\n    step");
  expect(offencesIn(`function a() {\n${callback}${callback}}\n`)).toHaveLength(1);
});

test("a long file is found, and a test file may have fewer lines", () => {
  const lines = (count: number) => "x;\n".repeat(count);
  expect(offencesIn(lines(LIMITS.file))).toEqual([]);
  expect(offencesIn(lines(LIMITS.file + 1))).toHaveLength(1);
  expect(sizeOffences(sampleTree({ "test/a.test.ts": lines(LIMITS.testFile + 1) }))).toHaveLength(1);
});
