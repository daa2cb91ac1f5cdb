// Calls that need no question: those that would fail anyway, and edits by gsv's paths in the directory that the process works in.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceInfo } from "../../../src/abi/process/workspace.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "gsv-foreseen-")));
  writeFileSync(join(directory, "a.md"), "old\n");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function results(home: TestKernel, calls: readonly object[], pid = INIT): Promise<readonly string[]> {
  const before = (await home.messages(pid)).length;
  home.model.will(pid, { calls } as never, { text: "done" });
  await home.say("go", { pid });
  return (await home.messages(pid)).slice(before).flatMap((message) => {
    if (message.role !== "toolResult") return [];
    const { toolName, outcome, output } = message.content;
    return [`${toolName} ${outcome}${outcome === "failed" ? `: ${output.split("\n")[0]}` : ""}`];
  });
}

/** The reasons that the one open question shows; it is then denied. */
async function asked(home: TestKernel, call: object, pid: string): Promise<readonly string[]> {
  home.model.will(pid, { calls: [call] } as never, { text: "done" });
  await home.send("go", { pid });
  await home.inState(pid, "waiting_hil");
  type Open = { id: string; about: { reasons: string[] } };
  const [open] = (await home.sys.call<{ approvals: Open[] }>("hil.list", {})).approvals;
  await home.sys.call("hil.answer", { id: open?.id ?? "", decision: "deny" });
  await home.inState(pid, "idle");
  return open?.about.reasons ?? [];
}

const write = (path: string) => ({ name: "Write", args: { path, content: "new\n" } });
const edit = (path: string) => ({ name: "Edit", args: { path, oldString: "old", newString: "new" } });
const remove = (path: string) => ({ name: "Delete", args: { path } });

test("a change that the modes of a file forbid fails at once, without a question", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "/tmp/kept/b.md", content: "old\n" });
  await home.sys.call("fs.setattr", { path: "/tmp/kept", mode: "755" });
  const calls = [
    write("/etc/passwd"),
    { name: "Edit", args: { path: "/etc/passwd", oldString: "root:x", newString: "r:x" } },
    remove("/tmp/kept/b.md"),
    remove("/bin/ls"),
  ];
  const denied = (verb: string, path: string) => `EACCES: cannot ${verb} ${path}: permission denied`;
  expect(await results(home, calls)).toEqual([
    `Write failed: ${denied("write", "/etc/passwd")}`,
    `Edit failed: ${denied("edit", "/etc/passwd")}`,
    `Delete failed: ${denied("delete", "/tmp/kept/b.md")}`,
    "Delete failed: EROFS: cannot delete /bin/ls: gsv's own files are read-only",
  ]);
});

test("a change on the host that modes forbid fails at once", async () => {
  await using home = await TestKernel.boot();
  mkdirSync(join(directory, "d"));
  writeFileSync(join(directory, "d/b.md"), "x");
  chmodSync(join(directory, "a.md"), 0o444);
  chmodSync(join(directory, "d"), 0o555);
  const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory });
  const { pid } = await home.spawn({ workspace: id });
  const onHost = { path: "a.md", content: "new", target: "host" };
  const outcomes = await results(home, [{ name: "Write", args: onHost }, write("a.md"), remove("d/b.md")], pid);
  expect(outcomes.map((text) => text.replace(/:.*: /, ": "))).toEqual([
    "Write failed: permission denied",
    "Write failed: permission denied",
    "Delete failed: permission denied",
  ]);
});

test("in mode accept-edits, edits by gsv's path in the process's own directory run as they do by its real path", async () => {
  await using home = await TestKernel.boot();
  const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: directory });
  const { pid } = await home.spawn({ workspace: id });
  expect(await asked(home, edit("a.md"), pid)).toEqual(["changes files on this computer"]);
  await home.sys.call("proc.mode", { pid, mode: "accept-edits" });
  const calls = [edit("a.md"), write(`/workspaces/${id}/new/b.md`)];
  expect(await results(home, calls, pid)).toEqual(["Edit completed", "Write completed"]);
  expect(readFileSync(join(directory, "a.md"), "utf8")).toBe("new\n");
  expect(readFileSync(join(directory, "new/b.md"), "utf8")).toBe("new\n");
  expect(await asked(home, write("AGENTS.md"), pid)).toEqual(["may change what agents or programs do"]);
  expect(await asked(home, remove("a.md"), pid)).toEqual(["deletes a file"]);
  await home.sys.call("proc.mode", { pid: INIT, mode: "accept-edits" });
  expect(await asked(home, write(`/workspaces/${id}/a.md`), INIT)).toEqual(["changes files on this computer"]);
});
