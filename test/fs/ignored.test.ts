// Names in a .gitignore; git itself decides about the same names.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ignored } from "../../fs/repo/ignored.ts";
import { plainGit } from "../support/git.ts";
import { scratchDirectory } from "../support/scratch.ts";

const RULES: { readonly [directory: string]: string } = {
  "": "# words\n\n*.log\n!keep.log\n/top\ndist/\ndocs/*.txt\n**/deep/x\n\\#odd\ntrailing   \nq?.md\n[ab].c\n{x}.d\n",
  "/sub": "!debug.log\n/only-here\n",
};
const FILES = [
  ...["a.log", "keep.log", "sub/debug.log", "sub/b.log", "top", "sub/top", "dist/a", "sub/dist/b", "lib/dist"],
  ...["docs/a.txt", "docs/b/a.txt", "m/deep/x", "deep/x", "#odd", "trailing", "q1.md", "q12.md", "a.c", "d.c"],
  ...["{x}.d", "x.d", "sub/only-here", "only-here", "plain.ts"],
];

test("gsv ignores the same files as git", () => {
  const root = scratchDirectory("ignored");
  for (const file of FILES) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  for (const [directory, text] of Object.entries(RULES)) writeFileSync(join(root, directory, ".gitignore"), text);
  plainGit(root, "init", "-q");
  const asked = plainGit(root, "check-ignore", ...FILES)
    .split("\n")
    .slice(0, -1);
  let ignored = Ignored.NOTHING;
  for (const [directory, text] of Object.entries(RULES)) ignored = ignored.and(`/r${directory}`, text);
  const parents = (file: string) => file.split("/").map((_, index, names) => names.slice(0, index + 1).join("/"));
  const found = FILES.filter((file) => parents(file).some((path) => ignored.has(`/r/${path}`, path !== file)));
  rmSync(root, { recursive: true, force: true });
  expect(found.sort()).toEqual(asked.sort());
});
