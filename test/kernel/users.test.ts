// Accounts and groups: who may create, change and remove them, and grants and revocations that persist.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { AccountInfo, AuditEntry, GroupInfo } from "../../src/syscalls/account/account-service.ts";
import type { ArchiveInfo } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const accountsOf = async (sys: Sys) => (await sys.call<{ accounts: AccountInfo[] }>("account.list", {})).accounts;
const namesOf = async (sys: Sys) => (await accountsOf(sys)).map(({ username }) => username);

async function withBob(): Promise<{ home: TestKernel; root: Sys; bob: Sys; uid: number }> {
  const home = await TestKernel.boot();
  const root = home.person(0);
  const { uid } = await root.call<AccountInfo>("account.create", { username: "bob" });
  return { home, root, bob: home.person(uid), uid };
}

test("a new human has a home, an init and a personal agent with a free name, and can work at once", async () => {
  const { home, root, bob, uid } = await withBob();
  await using _ = home;
  expect(await accountsOf(bob)).toMatchObject([
    { username: "bob", uid, kind: "human", home: "/home/bob", groups: ["users", "bob", "sol"] },
    { username: "sol", kind: "personal", owner: "bob" },
  ]);
  expect(await bob.call<object>("proc.get", { pid: `init:${uid}` })).toMatchObject({ owner: "bob", runAs: "sol" });
  await bob.call("fs.write", { path: "~/notes.md", content: "x" });
  expect((await home.refusal("fs.read", { path: "/home/bob/notes.md" })).code).toBe("EACCES");
  const { pid } = await bob.call<{ pid: string }>("proc.spawn", { prompt: "hello" });
  await bob.call("proc.wait", { pids: [pid] });
  expect(await namesOf(root)).toEqual(["root", "sam", "friday", "bob", "sol"]);
  expect(await namesOf(home.sys)).toEqual(["sam", "friday"]);
});

test("only root adds humans and system agents; a human adds its own agents, which act only for that human", async () => {
  const { home, root, bob } = await withBob();
  await using _ = home;
  expect((await home.refusal("account.create", { username: "carol" })).message).toBe("only root may add humans");
  expect((await home.refusal("account.create", { username: "daemon", system: true })).code).toBe("EPERM");
  expect((await home.refusal("account.create", { username: "scout", owner: "bob" })).code).toBe("EPERM");
  expect((await home.refusal("account.create", { username: "scout", agent: true }, root)).code).toBe("EINVAL");
  await home.sys.call("account.create", { username: "scout", agent: true, comment: "reads" });
  await root.call("account.create", { username: "daemon", system: true });
  const pid = await home.task({ as: "scout" });
  expect(await home.get(pid)).toMatchObject({ owner: "sam", runAs: "scout" });
  for (const as of ["scout", "daemon", "root", "sam", "nemo"])
    expect((await home.refusal("proc.spawn", { as }, bob)).message).toBe(`no such agent: ${as}`);
  await home.restart();
  expect(await home.get(INIT)).toMatchObject({ owner: "sam", runAs: "friday" });
});

test("a name has 1 to 32 plain characters, is free, and is not reserved", async () => {
  const { home, root } = await withBob();
  await using _ = home;
  for (const username of ["Bob", "7of9", "a b", "a/b", "é", "x".repeat(33), "-a", "a.b", "__proto__!"])
    expect(`${username} ${(await home.refusal("account.create", { username }, root)).code}`).toBe(`${username} EINVAL`);
  for (const username of ["bob", "sam", "sol"])
    expect(`${username} ${(await home.refusal("account.create", { username }, root)).code}`).toBe(`${username} EEXIST`);
  const reserved = ["root", "users", "drivers", "services", "kernel", "nobody", "system", "gsv", "anybody", "everyone"];
  for (const name of [...reserved, "__proto__", "constructor"]) {
    const answer = { code: "EINVAL", message: `${name} is reserved`, hints: ["choose another name"] };
    expect(await home.refusal("account.create", { username: name }, root)).toMatchObject(answer);
    expect(await home.refusal("group.add", { name }, root)).toMatchObject(answer);
  }
});

test("an account with processes is removed only if they are ended and archived too, and its number is not reused", async () => {
  const { home, root, bob, uid } = await withBob();
  await using _ = home;
  const { pid } = await bob.call<{ pid: string }>("proc.spawn", { prompt: "hello" });
  await bob.call("proc.wait", { pids: [pid] });
  expect(await home.refusal("account.remove", { username: "bob" }, root)).toMatchObject({ code: "EBUSY" });
  await bob.call("proc.get", { pid });
  expect(await root.call<object>("account.remove", { username: "bob", force: true })).toMatchObject({ ended: [pid] });
  expect((await home.refusal("proc.list", {}, bob)).message).toBe(`account ${uid} does not exist`);
  const { processes } = await root.call<{ processes: ProcessInfo[] }>("proc.list", {});
  expect(processes.map((row) => row.pid)).toEqual([INIT]);
  const { archives } = await root.call<{ archives: ArchiveInfo[] }>("archive.list", {});
  expect(archives).toContainEqual(expect.objectContaining({ pid, messages: 2 }));
  expect((await root.call<AccountInfo>("account.create", { username: "bob" })).uid).toBeGreaterThan(uid + 1);
  for (const username of ["root", "sam", "friday"])
    expect((await home.refusal("account.remove", { username, force: true }, root)).code).toBe("EPERM");
});

test("removing an account removes its settings and secrets", async () => {
  const { home, root, bob, uid } = await withBob();
  await using _ = home;
  await bob.call("config.set", { key: "userTimezone", value: "UTC" });
  await bob.call("config.set", { key: "ai.apiKey", value: "sk-an-example-only" });
  await home.sys.call("config.set", { key: "ai.apiKey", value: "sk-of-somebody-else" });
  const kept = () => readdirSync(home.paths.secretsDir);
  expect(kept()).toHaveLength(2);
  await root.call("account.remove", { username: "bob", force: true });
  expect(kept()).toHaveLength(1);
  using database = new Database(home.paths.kernelDb, { readonly: true });
  expect(database.query("SELECT key FROM config_kv WHERE key LIKE ?").all(`users/${uid}/%`)).toEqual([]);
});

test("a locked account and its processes do nothing until it is unlocked with its old password", async () => {
  const { home, root, bob } = await withBob();
  await using _ = home;
  const password = "correct horse";
  await bob.call("account.passwd", { password });
  const { pid } = await bob.call<{ pid: string }>("proc.spawn", {});
  const inside = await home.insideOf(pid);
  await root.call("account.update", { username: "bob", lock: true });
  for (const sys of [bob, inside]) expect((await home.refusal("proc.list", {}, sys)).code).toBe("EAUTH");
  expect(await home.login({ user: "bob", password }).catch((error) => error)).toMatchObject({ code: "EAUTH" });
  await root.call("account.update", { username: "bob", unlock: true });
  await (await home.login({ user: "bob", password })).call("proc.list", {});
  await inside.call("proc.list", {});
  expect((await home.refusal("account.update", { username: "sam", lock: true })).code).toBe("EPERM");
  expect((await home.refusal("account.update", { username: "sam", lock: true }, root)).code).toBe("EPERM");
});

test("a grant or revocation applies from the next call, also at the next kernel", async () => {
  const { home, root, bob } = await withBob();
  await using _ = home;
  const change = (args: object) => root.call<GroupInfo>("group.mod", args);
  await change({ name: "users", revoke: "fs.*,hil.*" });
  expect((await home.refusal("fs.read", { path: "~" }, bob)).message).toBe("bob may not call fs.read (needs fs.read)");
  await root.call("group.add", { name: "readers" });
  await change({ name: "readers", add: "bob", grant: "fs.read,fs.search" });
  await bob.call("fs.read", { path: "~" });
  await home.restart();
  await home.person(0).call("group.list", {});
  expect((await home.refusal("fs.read", { path: "~" })).code).toBe("EPERM");
  expect((await home.refusal("hil.list", {})).code).toBe("EPERM");
});

test("only granted capabilities can be revoked, only grantable ones granted, and root keeps *", async () => {
  const { home, root } = await withBob();
  await using _ = home;
  const refused = async (args: object) => (await home.refusal("group.mod", args, root)).code;
  expect(await refused({ name: "users", revoke: "fs.read" })).toBe("ENOENT");
  expect(await refused({ name: "users", remove: "root" })).toBe("ENOENT");
  expect(await refused({ name: "users", add: "nemo" })).toBe("ENOENT");
  expect(await refused({ name: "nosuch", add: "bob" })).toBe("ENOENT");
  expect(await refused({ name: "root", revoke: "*" })).toBe("EPERM");
  for (const grant of ["fs", "FS.READ", "fs.**", "nte.fetch", "fs read", "f*", ".fs"])
    expect(await refused({ name: "users", grant })).toBe("EINVAL");
  await root.call("account.create", { username: "daemon", system: true });
  for (const name of ["users", "root", "bob", "daemon"])
    expect((await home.refusal("group.rm", { name }, root)).code).toBe("EPERM");
});

test("the audit log shows you entries about you and your agents, and root all; denied, since and limit narrow it", async () => {
  const { home, root, bob } = await withBob();
  await using _ = home;
  const list = async (sys: Sys, args: object = {}) =>
    (await sys.call<{ entries: AuditEntry[] }>("audit.list", args)).entries;
  await home.refusal("group.add", { name: "x" }, bob);
  await home.clock.advance(3_600_000);
  await home.refusal("hil.answer", { id: "abcd", decision: "approve" }, await home.insideOf(INIT));
  await home.sys.call("account.update", { username: "sam", comment: "me" });
  expect((await list(bob)).map(({ call, outcome }) => `${call} ${outcome}`)).toEqual(["group.add EPERM"]);
  expect((await list(home.sys)).map(({ account, call }) => `${account} ${call}`)).toEqual([
    "friday hil.answer",
    "sam account.update",
  ]);
  expect((await list(home.sys, { denied: true })).map(({ call }) => call)).toEqual(["hil.answer"]);
  expect((await list(root, { since: "30m" })).some(({ account }) => account === "bob")).toBe(false);
  expect((await list(root)).map(({ call }) => call).slice(0, 2)).toEqual(["account.create", "group.add"]);
  expect(await list(root, { limit: 1 })).toHaveLength(1);
  expect((await home.refusal("audit.list", { since: "soon" })).code).toBe("EINVAL");
});
