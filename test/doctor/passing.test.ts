// Doctor on states in transition: a process that is being created or reset, a new repository,
// and everything that differs at the next check. Each moment is put exactly between two of its queries.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Patient } from "../../src/doctor/patient.ts";
import { INIT } from "../support/kernel.ts";
import { Bed } from "../support/patient.ts";

let bed: Bed;

beforeEach(async () => {
  bed = await Bed.make();
});
afterEach(() => bed[Symbol.dispose]());

/** The databases of the home, except for one query: its first answers are given. */
async function saying<Name extends keyof Patient["databases"]>(
  name: Name,
  first: (...asked: Parameters<Patient["databases"][Name]>) => ReturnType<Patient["databases"][Name]> | undefined,
  times = 1,
): Promise<Partial<Patient>> {
  const { databases } = await bed.patient();
  let left = times;
  const said = (...asked: Parameters<Patient["databases"][Name]>) => {
    const answer = left > 0 ? first(...asked) : undefined;
    if (answer === undefined) return (databases[name] as (...args: unknown[]) => unknown)(...asked);
    left--;
    return answer;
  };
  return { databases: { ...databases, [name]: said } };
}

async function underKernel(over: Partial<Patient>): Promise<Partial<Patient>> {
  const { lock } = await bed.patient();
  return { ...over, lock: { ...lock, isHeld: () => true } };
}

test("a process created during the check is ok", async () => {
  const empty = await saying("fault", (path) => (path.includes(INIT) ? "empty, although it held data" : undefined));
  expect((await bed.look("databases", empty)).join()).toStartWith("ok databases: ");
  const stays = await saying("fault", (path) => (path.includes(INIT) ? "it is empty" : undefined), 9);
  expect((await bed.look("databases", stays)).join()).toStartWith("problem databases: init:1000.db: it is empty");
});

test("a process reset during the check has nothing left to finish", async () => {
  const closing = { reason: "reset", startedAt: 1 } as const;
  const own = (await bed.patient()).databases.processState(INIT);
  const passing = await saying("processState", () => ({ ...own, closing }));
  expect((await bed.look("agreement", passing)).join()).toStartWith("ok agreement: ");
  const stays = await saying("processState", () => ({ ...own, closing }), 9);
  expect((await bed.look("agreement", stays)).join()).toContain("a reset was started and never finished");
});

test("with a kernel a problem counts if the next check finds it too, without one at once", async () => {
  const ghost = [{ id: "w-aaaaaa", owner: "sam", directory: null }];
  const gone = "problem workspaces: the files of workspace w-aaaaaa are gone";
  const passing = () => saying("workspaces", () => ghost);
  expect(await bed.look("workspaces", await underKernel(await passing()))).toEqual([]);
  expect(await bed.look("workspaces", await passing())).toEqual([gone]);
  expect(await bed.look("workspaces", await underKernel(await saying("workspaces", () => ghost, 9)))).toEqual([gone]);
});

test("a problem that differs in each check is reported in the end", async () => {
  let n = 0;
  const other = await saying("workspaces", () => [{ id: `w-${n++}`, owner: "sam", directory: null }], 99);
  expect((await bed.look("workspaces", await underKernel(other))).join()).toMatch(
    /^problem workspaces: .* w-\d are gone$/,
  );
});

test("an archive that is being deleted is not damaged", async () => {
  const [archive] = (await bed.patient()).databases.archives(-1);
  rmSync(join(bed.paths.objectsDir, archive?.key ?? ""));
  expect((await bed.look("archives")).join()).toStartWith("problem archives: ");
  bed.sql("kernel.db", `DELETE FROM objects WHERE key = '${archive?.key}'`);
  expect((await bed.look("archives")).join()).toStartWith("ok archives: ");
});

test("a repository that is just being created is ok", async () => {
  const gitDir = join(bed.paths.reposDir, "sam/home/.git");
  rmSync(gitDir, { recursive: true, force: true });
  for (const name of ["refs/heads", "objects"]) mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
  expect((await bed.fsck()).filter((line) => line.startsWith("problem"))).toEqual([]);
});
