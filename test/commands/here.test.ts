// The process of the directory where gsv was started: its own, that of its git worktree, or that of the attached directory above it.

import { expect, test } from "bun:test";
import { findHere, processHere } from "../../commands/here.ts";
import { FakeIo } from "../support/io.ts";

const ATTACHED = ["/src", "/src/team", "/src/repo", "/src/empty"];

async function hereAt(cwd: string): Promise<readonly [pid: string, directory: string, below: string] | null> {
  const look = async (path: string) =>
    path.includes("/.git") && path !== "/src/repo/.git" && path !== "/src/team/lib/.git"
      ? null
      : { kind: "directory", real: path };
  const io = Object.assign(new FakeIo(), { cwd, side: { look }, env: { HOME: "/home/sam" } });
  const workspaces = ATTACHED.map((directory) => ({
    ...{ id: `dir_${directory}`, directory },
    processes: directory === "/src/empty" ? [] : [`task:${directory}`],
  }));
  io.fakeSys.answer("workspace.list", () => ({ workspaces, next: null }));
  const processes = ATTACHED.map((directory) => ({
    ...{ pid: `task:${directory}`, workspaceId: `dir_${directory}`, label: directory.slice(5), createdAt: 1 },
    lastActiveAt: null,
  }));
  io.fakeSys.answer("proc.list", () => ({ processes, next: null }));
  const here = await findHere(io as never);
  const found = here === null ? null : await processHere(io as never, here);
  return found === null ? null : [found.process.pid, found.directory, found.below];
}

test.each([
  ["/src/team", ["task:/src/team", "/src/team", ""]],
  ["/src/team/docs/a", ["task:/src/team", "/src/team", "docs/a"]],
  ["/src/other/b", ["task:/src", "/src", "other/b"]],
  // An attached directory without a process is skipped.
  ["/src/empty/c", ["task:/src", "/src", "empty/c"]],
  ["/src/repo/lib", ["task:/src/repo", "/src/repo", "lib"]],
  // A worktree is a project of its own.
  ["/src/team/lib/x", null],
  ["/elsewhere", null],
  ["/home/sam", null],
] as const)("%s", async (cwd, found) => {
  expect(await hereAt(cwd)).toEqual(found as never);
});
