// The map of the source names every folder that holds files, and no other.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isCode, PRODUCT, ROOT, readTree } from "./tree.ts";

/** Folders of an indented tree; a line may name several of them. */
function foldersOf(map: string): string[] {
  const above: string[] = [];
  const folders: string[] = [];
  for (const line of map.split("\n")) {
    const [, indent = "", names = ""] = /^( *)((?:[\w-]+\/ ?)+)/.exec(line) ?? [];
    if (names === "") continue;
    const depth = indent.length / 2;
    const base = above.slice(0, depth).join("");
    folders.push(
      ...names
        .trim()
        .split(" ")
        .map((name) => `${base}${name}`.replace(/\/$/, "")),
    );
    above.splice(depth, above.length, names.trim().split(" ")[0] ?? "");
  }
  return folders;
}

test("the map names every folder", () => {
  const page = readFileSync(join(ROOT, "src/README.md"), "utf8");
  const [, map = ""] = /^## Folders\n[\s\S]*?^```text\n([\s\S]*?)^```/m.exec(page) ?? [];
  const named = foldersOf(map).filter((folder) => !folder.startsWith("test"));
  const files = [...readTree([...PRODUCT]).keys()].filter((path) => isCode(path) || path.endsWith(".md"));
  const real = new Set(files.map(dirname));
  const missing = [...real].filter((folder) => !named.includes(folder));
  expect({
    missing,
    gone: named.filter((folder) => !real.has(folder) && ![...real].some((each) => each.startsWith(`${folder}/`))),
  }).toEqual({ missing: [], gone: [] });
});

test("files that the map names exist", () => {
  const page = readFileSync(join(ROOT, "src/README.md"), "utf8");
  const paths = [...page.matchAll(/(?<![\w./])((?:src|fs|tui|commands|test)\/[\w./-]+\.(?:ts|md))/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.filter((path) => !Bun.file(join(ROOT, path)).size)).toEqual([]);
});

test("a tree of folders is read by its indentation", () => {
  expect(foldersOf("src/\n  abi/   the contract\n    config/ process/   data\n  lib/\nfs/")).toEqual(
    "src src/abi src/abi/config src/abi/process src/lib fs".split(" "),
  );
});
