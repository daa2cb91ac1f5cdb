// Texts of context files are kept from prompt to prompt: only for the version that was read, and only for those who may read it.

import { expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { CacheBudget } from "../../src/lib/memory/cache-budget.ts";
import { ContextFiles, KnownTexts } from "../../src/process/prompt/context-files.ts";
import { bob, root, sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";

const PLACE = "/home/sam/context.d";

async function contextFiles() {
  const files = new Namespace([{ at: "/", fs: memoryMount() }]);
  const write = (text: string) =>
    files.write(root, `${PLACE}/a.md`, new TextEncoder().encode(text), { at: "start", mode: 0o644 });
  await files.mkdir(root, PLACE, { parents: true, mode: 0o755 });
  await write("first words");
  const known = new KnownTexts();
  const read = async (caller = sam) =>
    (await new ContextFiles(files, caller, 1000, known).contextIn(PLACE)).map(({ text }) => text);
  return { files, write, read };
}

test("a changed file of the same length shows its new text", async () => {
  const { write, read } = await contextFiles();
  expect([await read(), await read()]).toEqual([["first words"], ["first words"]]);
  await write("other words");
  expect([await read(), await read()]).toEqual([["other words"], ["other words"]]);
});

test("a kept text is not shown to those who may not read the file, or not look into its directory", async () => {
  const { files, read } = await contextFiles();
  await files.setattr(root, `${PLACE}/a.md`, { uid: sam.uid, mode: 0o600 });
  expect([await read(sam), await read(bob), await read(sam)]).toEqual([["first words"], [], ["first words"]]);
  await files.setattr(root, PLACE, { uid: sam.uid, mode: 0o400 });
  expect(await read(sam)).toEqual([]);
});

test("a file that did not change is read once", async () => {
  const { files, read: texts } = await contextFiles();
  let reads = 0;
  const directory = files.directory.bind(files);
  files.directory = async (...where) => {
    const found = await directory(...where);
    const read: typeof found.read = (...what) => {
      reads++;
      return found.read(...what);
    };
    return { ...found, read };
  };
  for (let turn = 0; turn < 5; turn++) expect(await texts()).toEqual(["first words"]);
  expect(reads).toBe(1);
});

test("kept texts count against the memory limit, and the oldest go first", () => {
  const budget = new CacheBudget();
  const known = new KnownTexts(budget);
  for (const path of ["a", "b", "c"]) known.note(path, "1", "x".repeat(999));
  expect(budget.used).toBe(6000);
  known.note("a", "2", "x".repeat(499));
  expect(budget.used).toBe(5000);
  budget.limit(3000);
  expect(budget.used).toBe(3000);
  expect(["a", "b", "c"].map((path) => known.find(path, path === "a" ? "2" : "1")?.length)).toEqual([
    499,
    undefined,
    999,
  ]);
  known.note("d", "1", "x".repeat(999));
  expect([budget.used, known.find("c", "1")]).toEqual([3000, undefined]);
});
