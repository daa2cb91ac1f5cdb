// After a kill there is a valid archive, or nothing at all.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { closingFailuresKey } from "../../src/abi/process/lifecycle.ts";
import { inspector } from "../../src/store/inspect.ts";
import { StoreUnavailable } from "../../src/store/open.ts";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const SECRET = "periwinkle";

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

/** Files of the home that contain the text, as bytes on disk. */
function holding(home: TestKernel, text: string): string[] {
  return filesIn(home.directory).filter((path) => readFileSync(path).includes(text));
}

/** A process with the secret in each of its tables: message, answer, tool arguments and results, queue, approval, error. */
async function talkative(home: TestKernel): Promise<string> {
  const pid = await home.task({ prompt: `the word is ${SECRET}` });
  home.model.will(
    pid,
    { text: SECRET, thinking: SECRET, calls: [{ name: "Read", args: { path: `~/${SECRET}` } }] },
    { calls: [{ name: "Delete", args: { path: `~/${SECRET}` } }] },
  );
  await home.inState(pid, "waiting_hil");
  await home.send(`and again ${SECRET}`, { pid });
  return pid;
}

test("a kill without an archive leaves no message in any file", async () => {
  await using home = await TestKernel.boot();
  const pid = await talkative(home);
  expect(holding(home, SECRET)).not.toEqual([]);
  const closed = await home.sys.call<Closed>("proc.kill", { pid, noArchive: true });
  expect(closed).toEqual({ pid, archivedMessages: 0, archiveId: null, archivedTo: null, undelivered: 0 });
  await home.kernel.close();
  expect(holding(home, SECRET)).toEqual([]);
  await home.start();
  expect(await home.sys.call<object>("archive.list", {})).toMatchObject({ archives: [] });
});

test("a killed process is gone from list, history, queue and disk, and its archive stays", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ label: "short lived" });
  await home.say("hello", { pid });
  const closed = await home.sys.call<Closed>("proc.kill", { pid });
  const { processes } = await home.sys.call<{ processes: { pid: string }[] }>("proc.list", {});
  expect(processes.map((row) => row.pid)).toEqual([INIT]);
  for (const name of ["proc.get", "proc.history", "proc.reset", "proc.abort", "proc.kill", "proc.trace"]) {
    expect(await home.refusal(name, { pid })).toMatchObject({
      code: "ESRCH",
      message: expect.stringContaining(`${pid} was killed at`),
    });
  }
  expect(filesIn(home.paths.procDir).filter((path) => path.includes(pid))).toEqual([]);
  const { archives } = await home.sys.call<{ archives: ArchiveInfo[] }>("archive.list", {});
  expect(archives).toMatchObject([{ id: closed.archiveId, pid, reason: "kill", messages: 2, owner: "sam" }]);
});

/** While `disk.full` is set, no archive can be stored. */
async function withDisk(disk: { full: boolean }): Promise<TestKernel> {
  return await TestKernel.boot({
    ports: (ports) => {
      const put: typeof ports.objects.put = async (object, bytes) => {
        if (disk.full && object.key.endsWith(".gz")) throw new StoreUnavailable("disk", "not saved: the disk is full");
        return await ports.objects.put(object, bytes);
      };
      return { ...ports, objects: Object.assign(Object.create(ports.objects), { put }) };
    },
  });
}

function resets(home: TestKernel): Promise<ArchiveInfo[]> {
  return home.sys.call<{ archives: ArchiveInfo[] }>("archive.list", {}).then(({ archives }) => archives);
}

/** As gsv doctor reads them. */
function failures({ paths }: TestKernel): unknown[] {
  const rows = inspector(paths).settings();
  return rows.flatMap(({ key, value }) => (key === closingFailuresKey(INIT) ? [JSON.parse(value) as unknown] : []));
}

test("a history that cannot be archived is kept; new messages wait and are answered when there is space", async () => {
  const disk = { full: true };
  await using home = await withDisk(disk);
  await home.say("precious");
  expect(await home.refusal("proc.reset", {})).toMatchObject({ code: "ENOSPC" });
  expect(failures(home)).toEqual([{ failed: 1, error: "not saved: the disk is full" }]);
  expect(await home.outline(INIT)).toEqual(["user: precious", "assistant: done"]);
  const { runId } = await home.send("hello");
  await home.quiet();
  expect(home.heard("chat.start", runId)).toEqual([]);
  disk.full = false;
  await home.clock.advance(10_000);
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  expect(await resets(home)).toMatchObject([{ messages: 2, reason: "reset" }]);
  expect(failures(home)).toEqual([]);
  expect(home.faults.splice(0).join()).toContain("the disk is full");
});

test("the next kernel finishes an unfinished reset without a reminder", async () => {
  const disk = { full: true };
  await using home = await withDisk(disk);
  await home.say("precious");
  await home.refusal("proc.reset", {});
  disk.full = false;
  await home.restart();
  await home.until("it is put away", async () => (await home.messages(INIT)).length === 0);
  expect(await resets(home)).toMatchObject([{ messages: 2, reason: "reset" }]);
  expect(failures(home)).toEqual([]);
  expect(await home.say("hello")).toMatchObject({ status: "ok" });
});

test("a killed process that cannot be archived is gone at once, and archived when there is space", async () => {
  const disk = { full: true };
  await using home = await withDisk(disk);
  const pid = await home.task();
  await home.say("precious", { pid });
  expect(await home.refusal("proc.kill", { pid })).toMatchObject({ code: "ENOSPC" });
  expect(await home.refusal("proc.get", { pid })).toMatchObject({ code: "ESRCH" });
  await home.clock.advance(60_000);
  expect(await resets(home)).toEqual([]);
  disk.full = false;
  await home.clock.advance(600_000);
  await home.until("it is put away", async () => (await resets(home)).length === 1);
  expect(filesIn(home.paths.procDir).filter((path) => path.includes(pid))).toEqual([]);
  expect(home.faults.splice(0).length).toBeGreaterThan(2);
});

test("a process that resets itself on a full disk keeps its history, and others are not affected", async () => {
  const disk = { full: true };
  await using home = await withDisk(disk);
  const pid = await home.task();
  await home.say("precious", { pid });
  await (await home.insideOf(pid)).call("proc.reset", { pid });
  await home.until("the log says why", () => home.faults.length > 0);
  expect(home.faults.splice(0).join()).toContain("the disk is full");
  expect(await home.outline(pid)).toEqual(["user: precious", "assistant: done"]);
  expect(await home.say("hello")).toMatchObject({ status: "ok" });
  disk.full = false;
  await home.clock.advance(10_000);
  await home.until("it is put away", async () => (await resets(home)).length === 1);
});
