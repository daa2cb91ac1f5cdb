// Doctor on workspaces: whether their files are in their registered places.

import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceInfo } from "../../src/abi/process/workspace.ts";
import { Bed } from "../support/patient.ts";

test("missing files are a problem, a missing directory of the host is a notice, and archived workspaces are skipped", async () => {
  using bed = await Bed.make();
  expect(await bed.look("workspaces")).toEqual([]);
  const directory = mkdtempSync(join(tmpdir(), "gsv-doctor-work-"));
  try {
    await bed.home.start();
    const ours = await bed.home.sys.call<WorkspaceInfo>("workspace.create", {});
    const theirs = await bed.home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory });
    await bed.rest();
    expect(await bed.look("workspaces")).toEqual(["ok workspaces: the files of 2 workspaces are there"]);
    const tree = join(bed.paths.reposDir, "sam", ours.id);
    renameSync(tree, `${tree}-aside`);
    rmSync(directory, { recursive: true });
    expect((await bed.look("workspaces")).sort()).toEqual([
      `notice workspaces: the directory of workspace ${theirs.id} is missing: ${theirs.directory}`,
      `problem workspaces: the files of workspace ${ours.id} are gone`,
    ]);
    mkdirSync(directory);
    await bed.home.start();
    await bed.home.sys.call("workspace.archive", { id: ours.id });
    await bed.rest();
    expect(await bed.look("workspaces")).toEqual(["ok workspaces: the files of 1 workspace are there"]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
