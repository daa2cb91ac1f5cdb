// Permission to run and its deciders: states of hooks, refused files, checksums, accounts; and every way an agent could try.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { HookInfo } from "../../src/abi/hook.ts";
import type { AuditEntry } from "../../src/syscalls/account/account-service.ts";
import type { ShownHook, TriedHook } from "../../src/syscalls/system/hooks.ts";
import { Desk } from "../support/desk.ts";
import { HookBed } from "../support/hooks.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { machineSandbox, standInSandbox } from "../support/sandbox.ts";
import { scratchDirectory } from "../support/scratch.ts";

let home: TestKernel;
let bed: HookBed;

beforeEach(async () => {
  home = await TestKernel.boot({ realTime: true });
  bed = new HookBed(home);
});

afterEach(() => home[Symbol.asyncDispose]());

async function list(sys = home.sys): Promise<readonly HookInfo[]> {
  return (await sys.call<{ hooks: readonly HookInfo[] }>("hooks.list", {})).hooks;
}

async function states(): Promise<Record<string, string>> {
  return Object.fromEntries((await list()).map(({ hook, state }) => [hook, state]));
}

test("a home without hooks.d has no hooks, and gsv does not create it", async () => {
  expect(await list()).toEqual([]);
  await home.say("go");
  expect(existsSync(home.paths.hooksDir)).toBe(false);
});

test("a hook is new, then allowed or denied, changed when its bytes change, and allowed again when they return", async () => {
  const path = bed.put("run-end/call", "exit 0");
  const before = readFileSync(path);
  expect(await states()).toEqual({ "run-end/call": "new" });
  await bed.allow("run-end/call");
  expect((await list())[0]).toMatchObject({ state: "allowed", by: "sam", why: null });
  appendFileSync(path, "# more\n");
  expect(await states()).toEqual({ "run-end/call": "changed" });
  writeFileSync(path, before);
  expect(await states()).toEqual({ "run-end/call": "allowed" });
  await home.sys.call("hooks.deny", { hook: "run-end/call" });
  expect(await states()).toEqual({ "run-end/call": "denied" });
  appendFileSync(path, "# more\n");
  expect(await states()).toEqual({ "run-end/call": "new" });
});

test("bytes that were changed with the same size and time count as changed", async () => {
  const path = await bed.allowed("run-end/call", "exit 0");
  expect(await states()).toEqual({ "run-end/call": "allowed" });
  const { atime, mtime } = statSync(path);
  writeFileSync(path, "#!/bin/sh\nexit 1\n");
  utimesSync(path, atime, mtime);
  expect(await states()).toEqual({ "run-end/call": "changed" });
});

test("a refused hook shows the reason and the fix, and no one can allow it", async () => {
  const own = bed.put("run-end/fine", "exit 0");
  symlinkSync(own, bed.path("run-end/a-link"));
  bed.put("run-end/b-group", "exit 0", 0o770);
  bed.put("run-end/c-world", "exit 0", 0o702);
  bed.put("run-end/d-plain", "exit 0", 0o600);
  mkdirSync(bed.path("run-end/e-directory"));
  await Bun.$`mkfifo ${bed.path("run-end/f-pipe")}`.quiet();
  bed.put("run-end/g-raised", "exit 0", 0o4700);
  bed.put("run-end/h bad", "exit 0");
  bed.put("run-ends/i-stray", "exit 0");
  writeFileSync(bed.path("j-misplaced"), "");
  bed.put("run-end/.hidden", "exit 0");
  bed.put("run-end/backup~", "exit 0");
  const why = Object.fromEntries((await list()).map((each) => [each.hook, [each.state, each.why]]));
  expect(why).toEqual({
    "run-end/fine": ["new", null],
    "run-end/a-link": ["refused", "it is a link"],
    "run-end/b-group": ["refused", "others can write to it"],
    "run-end/c-world": ["refused", "others can write to it"],
    "run-end/d-plain": ["refused", "it is not executable"],
    "run-end/e-directory": ["refused", "it is not a file"],
    "run-end/f-pipe": ["refused", "it is not a file"],
    "run-end/g-raised": ["refused", "it is set-uid or set-gid"],
    "run-end/h bad": ["refused", "invalid hook name"],
    "run-ends/i-stray": ["refused", "unknown event run-ends"],
    "j-misplaced": ["refused", "it is not the directory of an event"],
  });
  const sha256 = "0".repeat(64);
  const refusal = await home.refusal("hooks.allow", { hook: "run-end/b-group", sha256 });
  expect([refusal.code, ...refusal.hints]).toEqual(["EPERM", `chmod go-w ${bed.path("run-end/b-group")}`]);
  chmodSync(bed.path("run-end"), 0o770);
  expect((await list()).find(({ hook }) => hook === "run-end/fine")?.why).toContain("others can write to it");
});

test("a directory of hooks that is a link is refused with everything behind it", async () => {
  bed.put("run-end/call", "exit 0");
  renameSync(home.paths.hooksDir, `${home.paths.hooksDir}.real`);
  symlinkSync(`${home.paths.hooksDir}.real`, home.paths.hooksDir);
  expect((await list()).map(({ state, why }) => [state, why?.endsWith("is a link")])).toEqual([["refused", true]]);
});

test("only a reviewed hook is allowed: another checksum is refused, and nothing is allowed", async () => {
  const path = bed.put("run-end/call", "exit 0");
  const { sha256, text } = await home.sys.call<ShownHook>("hooks.show", { hook: "run-end/call" });
  expect(text).toBe("#!/bin/sh\nexit 0\n");
  appendFileSync(path, "rm -rf /\n");
  expect((await home.refusal("hooks.allow", { hook: "run-end/call", sha256 })).code).toBe("ECONFLICT");
  expect(await states()).toEqual({ "run-end/call": "new" });
});

test("a person tests a hook with a sample event or their own; a hook without permission does not run", async () => {
  bed.put("tool-before/guard", `grep -q 'rm -rf' && { echo no >&2; exit 2; }; touch '${bed.out()}'`);
  expect((await home.refusal("hooks.test", { hook: "tool-before/guard" })).code).toBe("EPERM");
  await bed.allow("tool-before/guard");
  const tried = await home.sys.call<TriedHook>("hooks.test", { hook: "tool-before/guard" });
  expect(tried).toMatchObject({ how: "exited", status: 2, stderr: "no", refuses: true });
  expect(JSON.parse(tried.event)).toMatchObject({ event: "tool-before", tool: "Shell" });
  expect(existsSync(bed.out())).toBe(false);
  const event = '{\n"tool": "Read"}';
  const run = await home.sys.call<TriedHook>("hooks.run", { hook: "tool-before/guard", event });
  expect(run).toMatchObject({ event: '{"tool":"Read"}', status: 0, refuses: false });
  for (const wrong of ["", "[]", "1", "{"])
    expect((await home.refusal("hooks.run", { hook: "tool-before/guard", event: wrong || "x" })).code).toBe("EINVAL");
});

test("names that lead out of the directory, and unknown names, are refused", async () => {
  for (const hook of ["../kernel.db", "run-end/../../secrets/x", "run-end", "/etc/passwd", "run-end/\u202ex"])
    expect((await home.refusal("hooks.show", { hook })).code).toBe("EINVAL");
  expect((await home.refusal("hooks.show", { hook: "run-end/nothing" })).code).toBe("ENOENT");
});

test("the audit log has the person and the decision for each hook", async () => {
  await bed.allowed("run-end/call", "exit 0");
  await home.sys.call("hooks.deny", { hook: "run-end/call" });
  const { entries } = await home.sys.call<{ entries: AuditEntry[] }>("audit.list", {});
  const rows = entries.filter(({ call }) => call.startsWith("hooks."));
  expect(rows.map(({ call, account, outcome }) => `${account} ${call} ${outcome}`).sort()).toEqual([
    "sam hooks.allow ok",
    "sam hooks.deny ok",
  ]);
  expect(rows.every(({ detail }) => detail.includes("hook=run-end/call"))).toBe(true);
});

const REFUSED = /^(?:ENOENT|EPERM|EACCES|EROFS|EEXIST)$/;

test("hooks belong to the person of the home and to root, who decides for all; another account has none", async () => {
  const { uid } = await home.person(0).call<{ uid: number }>("account.create", { username: "bob" });
  const bob = home.person(uid);
  await bed.allowed("tool-before/guard", "exit 2");
  expect(await list(bob)).toEqual([]);
  const { sha256 } = await home.sys.call<ShownHook>("hooks.show", { hook: "tool-before/guard" });
  for (const call of ["show", "allow", "deny", "test"])
    expect((await home.refusal(`hooks.${call}`, { hook: "tool-before/guard", sha256 }, bob)).code).toBe("ENOENT");
  const works = async () => {
    const { pid } = await bob.call<{ pid: string }>("proc.spawn", {});
    home.model.will(pid, { calls: [{ name: "Read", args: { path: "~" } }] });
    const { runId } = await bob.call<{ runId: string }>("proc.send", { pid, message: "go" });
    await bob.call("proc.wait", { pids: [pid], run: runId });
    const { messages } = await bob.call<{ messages: readonly { readonly role: string }[] }>("proc.history", { pid });
    return JSON.stringify(messages.filter(({ role }) => role === "toolResult"));
  };
  expect(await works()).not.toContain("refused");
  await home.person(0).call("hooks.allow", { hook: "tool-before/guard", sha256 });
  expect(await works()).toContain("refused by the hook tool-before/guard");
});

describe("an agent", () => {
  test("decides about no hook, reads none and runs none, in any mode and with any approval", async () => {
    bed.put("tool-before/guard", "exit 2");
    const { sha256 } = await home.sys.call<ShownHook>("hooks.show", { hook: "tool-before/guard" });
    for (const seen of [{}, { approved: true as const }, { allowed: bed.path("tool-before/guard") }]) {
      const inside = await home.insideOf(INIT, seen);
      for (const call of ["show", "allow", "deny", "run", "test"]) {
        const args = { hook: "tool-before/guard", sha256, event: "{}" };
        expect((await home.refusal(`hooks.${call}`, args, inside)).code).toBe("EPERM");
      }
      for (const key of ["hooks.onFault", "hooks.timeoutMs"])
        expect((await home.refusal("config.set", { key, value: "allow" }, inside)).code).toBe("EPERM");
    }
    expect(await states()).toEqual({ "tool-before/guard": "new" });
  });

  test("reaches the directory through no mount, no workspace, no link and no path of the host", async () => {
    const path = await bed.allowed("tool-before/guard", "exit 0");
    const above = join(home.directory, "..");
    const { id } = await home.sys.call<{ id: string }>("workspace.attach", { what: above });
    const name = home.directory.split("/").at(-1);
    const inside = await home.insideOf(INIT, { approved: true });
    for (const way of [`/workspaces/${id}/${name}/hooks.d/tool-before/guard`, path]) {
      for (const target of ["gsv", "host"]) {
        for (const call of ["fs.read", "fs.delete"])
          expect((await home.refusal(call, { path: way, target }, inside)).code).toMatch(REFUSED);
        const write = { path: way, content: "#!/bin/sh\n", target };
        expect((await home.refusal("fs.write", write, inside)).code).toMatch(REFUSED);
      }
    }
    for (const what of [home.paths.hooksDir, join(home.paths.hooksDir, "tool-before")])
      await home.sys.call<{ id: string }>("workspace.attach", { what }).then(
        async ({ id: own }) => {
          const at = `/workspaces/${own}/guard`;
          expect((await home.refusal("fs.write", { path: at, content: "x" }, inside)).code).toMatch(
            /^(?:ENOENT|EPERM|EACCES|EROFS)$/,
          );
        },
        (error: { code: string }) => expect(error.code).toMatch(/^E/),
      );
    expect(readFileSync(path, "utf8")).toBe("#!/bin/sh\nexit 0\n");
  });

  test("that writes to a hook through another name makes it a changed one", async () => {
    const path = await bed.allowed("run-start/call", `touch '${bed.out()}'`);
    const work = scratchDirectory("hook-links");
    linkSync(path, join(work, "other"));
    appendFileSync(join(work, "other"), "touch /tmp/never\n");
    expect(await states()).toEqual({ "run-start/call": "changed" });
    await home.say("go");
    await home.until("it is logged", () => home.faults.length > 0);
    expect(home.faults.splice(0)).toEqual(["hook run-start/call is not run: it was changed since it was allowed"]);
    expect(existsSync(bed.out())).toBe(false);
    rmSync(work, { recursive: true });
  });

  test("needs an approval for a command of the host that would write there", async () => {
    const scratch = scratchDirectory("hook-host");
    await using desk = await Desk.at({ cwd: scratch, sandbox: standInSandbox(scratch).program });
    const own = new HookBed(desk.home);
    const path = await own.allowed("tool-before/guard", "exit 0");
    const asked = await desk.calls("Shell", { target: "host", command: `echo x > ${path}` });
    expect(typeof asked).not.toBe("string");
    if (typeof asked !== "string") await desk.answers(asked, "deny");
    expect(readFileSync(path, "utf8")).toBe("#!/bin/sh\nexit 0\n");
    rmSync(scratch, { recursive: true, force: true });
  });
});

test("the host's sandbox has no writable hooks.d", async () => {
  const sandbox = await machineSandbox();
  if (sandbox === null) return;
  const scratch = scratchDirectory("hook-sandbox");
  await using desk = await Desk.at({ cwd: scratch, sandbox: Bun.which("bwrap") ?? "" });
  const own = new HookBed(desk.home);
  const path = await own.allowed("tool-before/guard", "exit 0");
  await desk.home.sys.call("workspace.attach", { what: scratch, pid: INIT });
  const asked = await desk.calls("Shell", {
    target: "host",
    command: `echo x > ${path}; ls ${desk.home.paths.hooksDir}`,
  });
  const said = typeof asked === "string" ? asked : await desk.answers(asked);
  expect(said).not.toContain("guard\n");
  expect(readFileSync(path, "utf8")).toBe("#!/bin/sh\nexit 0\n");
  rmSync(scratch, { recursive: true, force: true });
});
