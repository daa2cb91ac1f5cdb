// Dangers on a card: how many files a command deletes, and which file a call changes, by its real path.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../../src/abi/process/process.ts";
import { Desk } from "../../support/desk.ts";
import { INIT } from "../../support/kernel.ts";
import { standInSandbox } from "../../support/sandbox.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const scratch = scratchDirectory("dangers");
const work = join(scratch, "work");
mkdirSync(join(work, "build/deep"), { recursive: true });
for (let file = 0; file < 13; file++) writeFileSync(join(work, file < 5 ? "build" : "build/deep", `${file}.o`), "x");
writeFileSync(join(work, "one"), "x");
mkdirSync(join(work, ".github"));
mkdirSync(join(scratch, "elsewhere"));
symlinkSync(join(work, "one"), join(work, "link"));
const sandbox = standInSandbox(scratch);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function card(name: string, args: object): Promise<NonNullable<Approval["about"]>> {
  await using desk = await Desk.at({ cwd: work, sandbox: sandbox.program });
  await desk.home.sys.call("workspace.attach", { what: work, pid: INIT });
  const asked = await desk.calls(name, { target: "host", ...args });
  if (typeof asked === "string" || asked.about === null) throw new Error(`no card: ${JSON.stringify(asked)}`);
  return asked.about;
}

test.each([
  ["rm one", "deletes 1 file"],
  ["rm -rf build", "deletes 13 files"],
  ["rm -rf build one", "deletes 14 files"],
  ["rm -rf build/ && rm one", "deletes 14 files"],
  ["rm -rf build/*", "deletes directories with their files"],
  ["rm -rf nowhere", "deletes directories with their files"],
  ["cd build && rm -rf deep", "deletes directories with their files"],
  ["rm $(cat list)", "deletes files"],
  ["rm link", "deletes 1 file"],
])("%s: %s", async (command, danger) => {
  const { dangers } = await card("Shell", { command, cwd: work });
  expect(dangers).toEqual([danger]);
});

test.each([
  ["Delete", "one", ["deletes a file"]],
  ["Write", ".github/ci.yml", ["may change what agents or programs do"]],
  ["Write", "../elsewhere/a", ["changes a file outside the workspace"]],
  ["Delete", "../elsewhere/a", ["deletes a file outside the workspace"]],
  ["Write", "one", undefined],
])("%s %s: %p", async (name, path, dangers) => {
  const about = await card(name, { path: join(work, path), ...(name === "Write" && { content: "y\n" }) });
  expect(about.dangers).toEqual(dangers as never);
});

test("a file is named by its real path, and a file of an attached directory by its path on this computer", async () => {
  expect((await card("Write", { path: join(work, "link"), content: "y\n" })).path).toBe(join(work, "one"));
  await using desk = await Desk.at({ cwd: work });
  await desk.home.sys.call("workspace.attach", { what: work, pid: INIT });
  const { cwd } = await desk.home.get(INIT);
  const asked = await desk.calls("Delete", { path: `${cwd}/one` });
  expect(asked).toMatchObject({ about: { path: join(work, "one") } });
});

test.each([
  ["one\ntwo\n", "@@ line 1 @@\n+one\n+two\n "],
  ["one", "@@ line 1 @@\n+one"],
])("a new file has no removed line, and no more lines than it has: %j", async (content, diff) => {
  await using desk = await Desk.at({ cwd: work });
  expect(await desk.calls("Write", { path: "~/context.d/new.md", content })).toMatchObject({ about: { diff } });
});
