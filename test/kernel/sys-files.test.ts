// /sys: settings as files, with the rules of `config set`. An agent proposes a change and a person decides. No file, link, call or approval
// changes a protected setting.

import { expect, test } from "bun:test";
import { SETTING_NAMES, SETTINGS, type Setting } from "../../src/abi/config/config.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";

const OWN = "/sys/users/1000/config";
const SECRET = "sk-canary-sys-0123456789";

const textOf = async (sys: Sys, path: string) => JSON.stringify(await sys.call<object>("fs.read", { path }));
const write = (sys: Sys, path: string, content: string) => sys.call("fs.write", { path, content });
const shown = async (sys: Sys, key: string) => (await sys.call<{ shown: string }>("config.get", { key })).shown;

/** A process writes; the call is made and its approval left open. */
async function asked(home: TestKernel, pid: string, path: string, content: string): Promise<Approval> {
  home.model.will(pid, { calls: [{ name: "Write", args: { path, content } }] });
  await home.send("change it", { pid });
  await home.inState(pid, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: Approval[] }>("hil.list", {});
  return approvals.find((each) => each.pid === pid)!;
}

test("a setting file shows the reader's value; root writes the home's, each account its own", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  const root = home.person(0);
  await write(root, "/sys/config/compaction.reserveTokens", "111\n");
  await write(home.sys, `${OWN}/compaction.reserveTokens`, "222\n");
  expect(await textOf(home.sys, "/sys/config/compaction.reserveTokens")).toContain("222");
  expect(await textOf(root, "/sys/config/compaction.reserveTokens")).toContain("111");
  expect(await textOf(root, `${OWN}/compaction.reserveTokens`)).toContain("222");
  const refused = await home.refusal("fs.write", { path: "/sys/config/compaction.enabled", content: "off" });
  expect(["EPERM", "EACCES"]).toContain(refused.code);
  for (const path of [`${OWN}/userTimezone`, OWN, "/sys/users/0/config/userTimezone"])
    expect((await home.refusal("fs.read", { path }, bob.sys)).code).toBe("ENOENT");
  await write(home.sys, `${OWN}/compaction.reserveTokens`, "");
  expect(await shown(home.sys, "compaction.reserveTokens")).toBe("111");
});

test("a wrong value is refused as by config set, and a secret cannot be read back", async () => {
  await using home = await TestKernel.boot();
  const wrong = await home.refusal("fs.write", { path: `${OWN}/compaction.enabled`, content: "perhaps" });
  expect([wrong.code, wrong.message]).toEqual(["ECONFIG", 'compaction.enabled must be true or false, not "perhaps"']);
  expect((await home.refusal("fs.write", { path: `${OWN}/kernel.idleMs`, content: "1" })).code).toBe("EPERM");
  expect((await home.refusal("fs.write", { path: `${OWN}/compaction.reservTokens`, content: "1" })).code).toMatch(
    /^E(?:ACCES|CONFIG)$/,
  );
  await write(home.sys, `${OWN}/ai.apiKey`, SECRET);
  for (const path of ["/sys/config/ai.apiKey", `${OWN}/ai.apiKey`]) {
    const text = await textOf(home.sys, path);
    expect(text).toContain("set (sha256:");
    expect(text).not.toContain(SECRET);
  }
});

test("a change through a file is audited like any other, without the secret, and so is a refused one", async () => {
  await using home = await TestKernel.boot();
  await write(home.sys, `${OWN}/compaction.enabled`, "off");
  await write(home.person(0), "/sys/config/ai.apiKey", SECRET);
  await home.refusal("fs.write", { path: `${OWN}/kernel.idleMs`, content: "5" });
  await home.refusal("fs.write", { path: `${OWN}/compaction.enabled`, content: "on" }, await home.insideOf(INIT));
  const { entries } = await home.person(0).call<{ entries: Entry[] }>("audit.list", {});
  const told = entries.map(({ account, call, outcome, detail }) => `${account} ${call} ${outcome} ${detail}`);
  expect(told).toContain("sam config.set ok key=users/1000/compaction.enabled value=off");
  expect(told.filter((line) => line.startsWith("root config.set ok key=ai.apiKey"))).toHaveLength(1);
  expect(told.filter((line) => line.startsWith("sam fs.write EPERM"))).toHaveLength(1);
  expect(told.filter((line) => line.startsWith("friday config.set EPERM"))).toHaveLength(1);
  expect(told.join("\n")).not.toContain(SECRET);
});

interface Entry {
  readonly account: string;
  readonly call: string;
  readonly outcome: string;
  readonly detail: string;
}

test("syscalls and the rights of groups can be read", async () => {
  await using home = await TestKernel.boot();
  expect(await textOf(home.sys, "/sys/syscalls/proc.send")).toContain("gsv api proc.send");
  expect(await textOf(home.sys, "/sys/capabilities/100")).toContain("fs.*");
  expect((await home.refusal("fs.read", { path: "/sys/capabilities/0" })).code).toBe("ENOENT");
  expect((await home.refusal("fs.write", { path: "/sys/capabilities/100", content: "*" }, home.person(0))).code).toBe(
    "EPERM",
  );
  const names = await textOf(home.sys, "/sys/syscalls");
  for (const name of SYSCALLS.keys()) expect(names).toContain(name);
});

test("an agent proposes a change: the person sees the old and new value, and only an approval applies it", async () => {
  await using home = await TestKernel.boot();
  const path = `${OWN}/compaction.reserveTokens`;
  const first = await asked(home, INIT, path, "15000");
  expect(first.why).toBe("set compaction.reserveTokens: a tenth of the window → 15000");
  expect(await shown(home.sys, "compaction.reserveTokens")).toBe("a tenth of the window");
  await home.sys.call("hil.answer", { id: first.id, decision: "deny" });
  await home.inState(INIT, "idle");
  expect(await shown(home.sys, "compaction.reserveTokens")).toBe("a tenth of the window");
  const second = await asked(home, INIT, path, "15000\n");
  await home.sys.call("hil.answer", { id: second.id, decision: "approve" });
  await home.inState(INIT, "idle");
  expect(await shown(home.sys, "compaction.reserveTokens")).toBe("15000");
  const third = await asked(home, INIT, path, "");
  expect(third.why).toBe("set compaction.reserveTokens: 15000 → a tenth of the window");
});

test("an agent cannot propose a policy, limit, right, address or secret, or another account's setting", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  const closed = SETTING_NAMES.filter((name) => (SETTINGS[name] as Setting).agents === undefined);
  expect(closed).toEqual(
    expect.arrayContaining(["ai.tools.approval", "ai.baseUrl", "ai.model", "ai.apiKey", "ai.maxTokens", "net.allow"]),
  );
  const { settings } = await home.sys.call<{ settings: { key: string; agents: string }[] }>("config.list", {});
  expect(settings.filter(({ agents }) => agents === "never").map(({ key }) => key)).toEqual([...closed]);
  const paths = [
    ...closed.map((name) => `${OWN}/${name}`),
    "/sys/config/compaction.enabled",
    `/sys/users/${bob.uid}/config/compaction.enabled`,
    "/sys/users/0/config/compaction.enabled",
    `${OWN}/ai.max_tokens`,
  ];
  const calls = paths.map((path) => ({ name: "Write", args: { path, content: "1" } }));
  const pid = await home.task();
  // One turn accepts a limited number of calls.
  const half = Math.ceil(calls.length / 2);
  home.model.will(pid, { calls: calls.slice(0, half) }, { calls: calls.slice(half) });
  expect(await home.say("raise yourself", { pid })).toMatchObject({ status: "ok" });
  const results = (await home.outline(pid)).filter((line) => line.startsWith("Write:"));
  expect(results).toEqual(paths.map(() => "Write: failed"));
});

test("a process changes a setting only with an approval of that call, through call, file, link or edit", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  const path = `${OWN}/compaction.enabled`;
  for (const [name, args] of [
    ["config.set", { key: "compaction.enabled", value: "off" }],
    ["config.unset", { key: "compaction.enabled" }],
    ["config.apply", { changes: { "compaction.enabled": "off" } }],
    ["fs.write", { path, content: "off" }],
    ["fs.edit", { path, oldString: "true", newString: "false" }],
    ["fs.delete", { path }],
  ] as const)
    expect(`${name} ${(await home.refusal(name, args, inside)).code}`).toBe(`${name} EPERM`);
  const pid = await home.task();
  home.model.will(pid, {
    calls: [
      { name: "Edit", args: { path, oldString: "true", newString: "false" } },
      { name: "Write", args: { path: `../..${OWN}/compaction.enabled`, content: "off" } },
    ],
  });
  await home.send("edit", { pid });
  await home.inState(pid, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: Approval[] }>("hil.list", {});
  expect(approvals.map(({ why }) => why)).toEqual(["change compaction.enabled, which is true"]);
  await home.sys.call("hil.answer", { id: approvals[0]?.id ?? "", decision: "approve" });
  await home.inState(pid, "idle");
  expect((await home.outline(pid)).filter((line) => /^(?:Edit|Write):/.test(line))).toEqual([
    "Edit: completed",
    "Write: failed",
  ]);
  expect(await shown(home.sys, "compaction.enabled")).toBe("false");
});

test("a process without an approver changes nothing", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ profile: "cron" });
  home.model.will(pid, { calls: [{ name: "Write", args: { path: `${OWN}/compaction.enabled`, content: "off" } }] });
  await home.say("tidy", { pid });
  expect((await home.outline(pid)).find((line) => line.startsWith("Write:"))).toBe("Write: denied");
  expect(await shown(home.sys, "compaction.enabled")).toBe("true");
});
