// A hook for tool-before runs before every call, and can refuse it: real scripts, a kernel in memory.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { isAlive } from "../support/home.ts";
import { HookBed } from "../support/hooks.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

let home: TestKernel;
let bed: HookBed;

beforeEach(async () => {
  home = await TestKernel.boot({ realTime: true });
  bed = new HookBed(home);
});

afterEach(() => home[Symbol.asyncDispose]());

const NOTE = { path: "~/note.md", content: "x" };

/** The model's result of one call. */
async function calls(name: string, args: object): Promise<string> {
  home.model.will(INIT, { calls: [{ name, args }] });
  await home.say("go");
  const results = (await home.messages(INIT)).filter(({ role }) => role === "toolResult");
  const last = results.at(-1);
  return last?.role === "toolResult" ? last.content.output : "no result";
}

/** The log lines about hooks, which are no faults of the kernel. */
function logged(): string[] {
  return home.faults.splice(0);
}

async function isThere(path: string): Promise<boolean> {
  return await home.sys.call("fs.read", { path }).then(
    () => true,
    () => false,
  );
}

const GUARD = `case $(cat) in *'"tool":"Write"'*) echo "no writing today" >&2; exit 2;; esac`;

test("a hook that exits with 2 stops a call, and the model gets its stderr", async () => {
  await bed.allowed("tool-before/guard", GUARD);
  expect(await calls("Write", NOTE)).toContain("refused by the hook tool-before/guard: no writing today");
  expect(await isThere("~/note.md")).toBe(false);
  expect(await calls("Read", { path: "~" })).not.toContain("refused");
});

test("a hook gets the call as one JSON object on stdin, and nothing of it in its arguments or environment", async () => {
  await bed.allowed("tool-before/look", `cat > '${bed.out()}'; echo "$# $(env)" > '${bed.out("env")}'`);
  await calls("Write", { path: "~/secret-name.md", content: "$(touch /tmp/never)\n'\"" });
  const told = JSON.parse(readFileSync(bed.out(), "utf8"));
  expect(told).toMatchObject({ event: "tool-before", pid: INIT, tool: "Write", call: "fs.write", approved: false });
  expect(told.args).toEqual({ path: "~/secret-name.md", content: "$(touch /tmp/never)\n'\"" });
  const env = readFileSync(bed.out("env"), "utf8");
  expect(env).toStartWith("0 ");
  expect(env).not.toContain("secret-name");
  for (const name of ["PATH=", "GSV_HOME=", "GSV_HOOK=tool-before/look", "GSV_EVENT=tool-before", `GSV_PID=${INIT}`])
    expect(env).toContain(name);
  expect(env).not.toMatch(/API_KEY|TOKEN|SECRET/);
});

test("a hook without permission does not run and decides nothing", async () => {
  bed.put("tool-before/stranger", `touch '${bed.out()}'; exit 2`);
  expect(await calls("Write", NOTE)).not.toContain("refused");
  expect(existsSync(bed.out())).toBe(false);
});

test("a hook that changed since it was allowed does not run, and calls are refused until it is allowed again", async () => {
  const path = await bed.allowed("tool-before/guard", "exit 0");
  expect(await calls("Write", NOTE)).not.toContain("hook");
  writeFileSync(path, `#!/bin/sh\ntouch '${bed.out()}'\n`);
  expect(await calls("Write", { ...NOTE, content: "y" })).toContain("it was changed since it was allowed");
  expect(existsSync(bed.out())).toBe(false);
  await bed.allow("tool-before/guard");
  expect(await calls("Write", { ...NOTE, content: "z" })).not.toContain("hook");
  expect(existsSync(bed.out())).toBe(true);
  expect(logged()).toEqual(["hook tool-before/guard: it was changed since it was allowed"]);
});

test("an allowed hook that was moved away does not run; moved back unchanged, it does", async () => {
  const path = await bed.allowed("tool-before/guard", GUARD);
  renameSync(path, bed.out("aside"));
  expect(await calls("Write", NOTE)).not.toContain("refused");
  renameSync(bed.out("aside"), path);
  expect(await calls("Write", { ...NOTE, content: "y" })).toContain("refused by the hook");
});

test("an allowed hook that became a link, or one that others can write to, refuses and does not run", async () => {
  const path = await bed.allowed("tool-before/guard", `touch '${bed.out()}'`);
  chmodSync(path, 0o722);
  expect(await calls("Write", NOTE)).toContain("others can write to it");
  renameSync(path, bed.out("real"));
  chmodSync(bed.out("real"), 0o700);
  symlinkSync(bed.out("real"), path);
  expect(await calls("Write", { ...NOTE, content: "y" })).toContain("it is a link");
  expect(existsSync(bed.out())).toBe(false);
  expect(logged()).toHaveLength(2);
});

test("a hook that fails refuses with a clear message, unless the setting turns that off", async () => {
  await bed.allowed("tool-before/broken", "echo 'no such table' >&2; exit 1");
  const told = await calls("Write", NOTE);
  expect(told).toContain("nothing was done");
  expect(told).toContain("it failed with status 1: no such table");
  await home.sys.call("config.set", { key: "hooks.onFault", value: "allow" });
  expect(await calls("Write", { ...NOTE, content: "y" })).not.toContain("hook");
  // A refusal is none of these faults.
  await bed.allowed("tool-before/guard", "exit 2");
  expect(await calls("Write", { ...NOTE, content: "z" })).toContain("refused by the hook tool-before/guard");
  expect(logged()).toHaveLength(3);
});

test("a hook that hangs is ended with all its processes at its timeout, and the call is refused", async () => {
  await home.sys.call("config.set", { key: "hooks.timeoutMs", value: "300" });
  await bed.allowed("tool-before/slow", `sh -c 'echo $$ > "${bed.out()}"; exec sleep 600' & wait`);
  expect(await calls("Write", NOTE)).toContain("it did not end within 1 s");
  const child = Number(readFileSync(bed.out(), "utf8"));
  await home.until("its child has ended", () => !isAlive(child));
  expect(logged()).toEqual(["hook tool-before/slow: it did not end within 1 s"]);
});

test("a process that a hook leaves in its own session with the output open does not delay a call, and ends as well", async () => {
  const pidAt = bed.out("stray");
  await bed.allowed(
    "tool-before/leaves",
    `setsid sh -c 'echo $$ > "$0"; exec sleep 7777' '${pidAt}' &
while [ ! -s '${pidAt}' ]; do :; done
echo "not now" >&2; exit 2`,
  );
  expect(await calls("Write", NOTE)).toContain("refused by the hook tool-before/leaves: not now");
  // Only Linux shows which process it belonged to.
  if (process.platform === "linux")
    await home.until("it has ended", () => !isAlive(Number(readFileSync(pidAt, "utf8"))));
});

test("a program that cannot be started refuses, with a hint how a script begins", async () => {
  const path = await bed.allowed("tool-before/odd", "exit 0");
  writeFileSync(path, "exit 0\n");
  await bed.allow("tool-before/odd");
  expect(await calls("Write", NOTE)).toContain("it cannot be started: not a program; a script begins with #!/bin/sh");
  expect(logged()).toHaveLength(1);
});

test("a hook that reads nothing gets a call of any size, and endless output is cut", async () => {
  await bed.allowed("tool-before/a-deaf", "exec 0<&-; exit 0");
  await bed.allowed("tool-before/b-loud", "head -c 20000000 /dev/zero | tr '\\0' x >&2; exit 2");
  const told = await calls("Write", { path: "~/big.md", content: "x".repeat(200_000) });
  expect(told).toContain("refused by the hook tool-before/b-loud: xxxx");
  expect(told.length).toBeLessThan(3000);
});

test("several hooks run in the order of their names, and none after the one that refuses", async () => {
  for (const name of ["10-first", "20-guard", "30-last"])
    await bed.allowed(
      `tool-before/${name}`,
      `echo ${name} >> '${bed.out()}'; ${name === "20-guard" ? "echo no >&2; exit 2" : "exit 0"}`,
    );
  expect(await calls("Write", NOTE)).toContain("20-guard: no");
  expect(readFileSync(bed.out(), "utf8")).toBe("10-first\n20-guard\n");
});

test("a hook's message arrives without escape sequences and without known secrets", async () => {
  await home.sys.call("config.set", { key: "apiKeys.openai", value: "sk-a-very-secret-word" });
  await bed.allowed("tool-before/guard", `printf '\\033]0;x\\007sk-a-very-secret-word' >&2; exit 2`);
  const told = await calls("Write", NOTE);
  expect(told).toContain("refused by the hook");
  expect(told).not.toContain("\u001b");
  expect(told).not.toContain("very-secret");
});

test("hooks see an approved call once more before it runs, marked as approved", async () => {
  await bed.teller("tool-before");
  home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/note.md" } }] });
  await home.send("go");
  await home.inState(INIT, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
  await home.sys.call("hil.answer", { id: approvals[0]!.id, decision: "approve" });
  await home.inState(INIT, "idle");
  expect(bed.told("tool-before").map(({ approved }) => approved)).toEqual([false, true]);
});

test("no person gets a question about a call that a hook refuses", async () => {
  await bed.allowed("tool-before/guard", "echo keep it >&2; exit 2");
  expect(await calls("Delete", { path: "~/note.md" })).toContain("refused by the hook tool-before/guard: keep it");
  expect(home.heard("chat.hil")).toEqual([]);
});

test("an abort ends a running hook, and the call is not made", async () => {
  await bed.allowed("tool-before/slow", `touch '${bed.out()}'; exec sleep 600`);
  home.model.will(INIT, { calls: [{ name: "Write", args: NOTE }] });
  const { runId } = await home.send("go");
  await home.until("the hook is asked", () => existsSync(bed.out()));
  await home.sys.call("proc.abort", { pid: INIT });
  expect((await home.ended(runId)).status).toBe("aborted");
  expect(await isThere("~/note.md")).toBe(false);
});

test("a kernel that dies during a hook has not made the call: the next one runs the hook again, and then the call", async () => {
  await bed.allowed(
    "tool-before/slow",
    `echo asked >> '${bed.out()}'; test $(wc -l < '${bed.out()}') = 1 && exec sleep 600; exit 0`,
  );
  home.model.will(INIT, { calls: [{ name: "Write", args: NOTE }] });
  const { runId } = await home.send("go");
  await home.until("the hook is asked", () => existsSync(bed.out()));
  expect(await isThere("~/note.md")).toBe(false);
  await home.restart();
  expect((await home.ended(runId)).status).toBe("ok");
  expect(await isThere("~/note.md")).toBe(true);
  expect(readFileSync(bed.out(), "utf8")).toBe("asked\nasked\n");
});

test("calls of a block of code run hooks like any other", async () => {
  await bed.allowed("tool-before/guard", GUARD);
  const code = `try { await fs.write({ path: "~/note.md", content: "x" }); return "written"; } catch (e) { return String(e); }`;
  expect(await calls("CodeMode", { code })).toContain("no writing today");
  expect(await isThere("~/note.md")).toBe(false);
});

test("hooks run for the calls of many processes at the same time, each for its own", async () => {
  await bed.allowed("tool-before/guard", `case $(cat) in *twice*) exit 2;; esac`);
  const pids = await Promise.all(Array.from({ length: 12 }, () => home.task()));
  const results = await Promise.all(
    pids.map(async (pid, n) => {
      const args = { path: `~/${n % 2 === 0 ? "twice" : "once"}-${n}.md`, content: "x" };
      home.model.will(pid, { calls: [{ name: "Write", args }] });
      await home.say("go", { pid });
      return (await home.messages(pid)).some(
        (message) => message.role === "toolResult" && message.content.output.includes("refused by the hook"),
      );
    }),
  );
  expect(results).toEqual(pids.map((_, n) => n % 2 === 0));
});
