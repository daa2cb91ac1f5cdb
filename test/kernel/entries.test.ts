// Entry over the network: one-time codes, logins of browsers with their keys, tokens for metrics, the list of logins and how one ends; limits
// and audit rows stay bounded.

import { expect, test } from "bun:test";
import type { Entered } from "../../src/abi/identity.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { LoginInfo } from "../../src/syscalls/account/login.ts";
import { arrivalAt, TestKernel } from "../support/kernel.ts";
import { inKernelDb } from "../support/people.ts";
import { rejection } from "../support/refusal.ts";

const PASSWORD = "correct horse";
const HERE = arrivalAt("127.0.0.1", { program: "Firefox" });
const SAM = 1000;

const newCode = (home: TestKernel) => home.kernel.entries.newCode(SAM);
const enter = (home: TestKernel, code: string, withKey = true, arrival = HERE) =>
  home.kernel.entries.enter({ code, withKey }, arrival);
const open = (home: TestKernel, { token, key }: Entered) =>
  home.login({ token, ...(key !== null && { key }) }, "127.0.0.1");
const nameOf = async (sys: Sys) => (await sys.call<{ username: string }>("system.whoami", {})).username;
const logins = async (sys: Sys) => (await sys.call<{ logins: LoginInfo[] }>("sys.login.list", {})).logins;
const rowsOf = (home: TestKernel, table: string) =>
  inKernelDb(home, (db) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? -1);

test("a code enters once, as the account that asked for it, however it is typed", async () => {
  await using home = await TestKernel.boot();
  const { code } = await newCode(home);
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
  const entered = await enter(home, ` ${code.toLowerCase().replaceAll("-", " ").replace("0", "o")} `);
  expect([entered.account, await nameOf(await open(home, entered))]).toEqual(["sam", "sam"]);
  expect(await rejection(enter(home, code))).toMatchObject({ code: "EAUTH", message: expect.stringContaining("used") });
});

test("a code ends after ten minutes, after five wrong tries, and is nowhere in the database", async () => {
  await using home = await TestKernel.boot();
  const { code: old } = await newCode(home);
  await home.clock.advance(10 * 60_000);
  expect((await rejection(enter(home, old))).code).toBe("EAUTH");
  const { code } = await newCode(home);
  for (let n = 0; n < 5; n++)
    await rejection(enter(home, `${code.slice(0, 10)}ZZZ${n}`, true, arrivalAt(`10.0.0.${n}`)));
  expect((await rejection(enter(home, code))).code).toBe("EAUTH");
  const rest = await newCode(home);
  expect(JSON.stringify(inKernelDb(home, (db) => db.query("SELECT * FROM entry_codes").all()))).not.toContain(
    rest.code.replaceAll("-", ""),
  );
  for (let n = 0; n < 10; n++) await newCode(home);
  expect(await rowsOf(home, "entry_codes")).toBe(5);
});

test("wrong codes of a stranger do not use up the code of another", async () => {
  await using home = await TestKernel.boot();
  const { code } = await newCode(home);
  const wrong = `${code.startsWith("0") ? "1" : "0"}${code.slice(1)}`;
  for (let n = 0; n < 30; n++) await rejection(enter(home, wrong, true, arrivalAt("203.0.113.9")));
  expect((await enter(home, code)).account).toBe("sam");
});

test("the cookie of a browser is worth nothing without its key, and another key does not fit", async () => {
  await using home = await TestKernel.boot();
  const [first, second] = [
    await enter(home, (await newCode(home)).code),
    await enter(home, (await newCode(home)).code),
  ];
  const { token } = first;
  expect((await rejection(home.login({ token }, "127.0.0.1"))).code).toBe("EAUTH");
  expect((await rejection(open(home, { ...first, key: second.key }))).code).toBe("EAUTH");
  expect((await rejection(open(home, { ...first, key: "" }))).code).toBe("EAUTH");
  expect(await nameOf(await open(home, first))).toBe("sam");
  // Each entry has secrets of its own: what a stranger planted before is not what enters (session fixation).
  expect(new Set([first.token, second.token, first.key, second.key, first.id, second.id]).size).toBe(6);
});

test("a token of kind metrics opens the metrics and nothing else, and no other token opens them", async () => {
  await using home = await TestKernel.boot();
  const make = async (kind: string) => (await home.sys.call<{ token: string }>("sys.token.create", { kind })).token;
  const [metrics, user] = [await make("metrics"), await make("user")];
  expect(await rejection(home.login({ token: metrics }, "127.0.0.1"))).toMatchObject({ code: "EPERM" });
  expect(await rejection(home.login({ token: metrics }))).toMatchObject({ code: "EPERM" });
  expect(await rejection(home.login({ token: user }, "127.0.0.1", { purpose: "metrics" }))).toMatchObject({
    code: "EPERM",
    hints: ["gsv auth token create --kind metrics"],
  });
  const sys = await home.login({ token: metrics }, "127.0.0.1", { purpose: "metrics" });
  expect((await home.refusal("proc.list", {}, sys)).code).toBe("EPERM");
});

test("the list shows client, address and last use; a revoked login ends at once, with its open connections", async () => {
  await using home = await TestKernel.boot();
  const entered = await enter(home, (await newCode(home)).code);
  const ends: string[] = [];
  const at = { program: "Firefox", onEnd: () => ends.push("browser") };
  const sys = await home.login({ token: entered.token, key: entered.key ?? "" }, "192.0.2.7", at);
  const { token } = await home.sys.call<{ token: string }>("sys.token.create", {});
  await home.login({ token }, "192.0.2.8", { onEnd: () => ends.push("program") });
  expect(await logins(sys)).toMatchObject([
    { id: entered.id, account: "sam", kind: "browser", client: "Firefox", address: "192.0.2.7", current: true },
    { kind: "user", client: "test/1", address: "192.0.2.8", current: false },
  ]);
  await sys.call("sys.login.revoke", {});
  expect(ends).toEqual(["browser"]);
  expect((await home.refusal("proc.list", {}, sys)).code).toBe("EAUTH");
  expect((await rejection(open(home, entered))).code).toBe("EAUTH");
  expect(await logins(home.sys)).toHaveLength(1);
  expect(JSON.stringify(await home.sys.call("sys.token.list", {}))).not.toContain(entered.id);
});

test("a new password ends the other logins of its account, and a locked account all of them; tokens of programs stay", async () => {
  await using home = await TestKernel.boot();
  const { uid } = await home.person(0).call<{ uid: number }>("account.create", { username: "bob" });
  const ends: string[] = [];
  const login = async (name: string) => {
    const { token, key } = await enter(home, (await home.kernel.entries.newCode(uid)).code);
    return await home.login({ token, key: key ?? "" }, "127.0.0.1", { onEnd: () => ends.push(name) });
  };
  const [mine] = [await login("mine"), await login("other")];
  const { token } = await home.person(uid).call<{ token: string }>("sys.token.create", {});
  await home.login({ token }, "127.0.0.1", { onEnd: () => ends.push("program") });
  await mine.call("account.passwd", { password: PASSWORD });
  expect([ends, (await logins(mine)).length]).toEqual([["other"], 2]);
  expect(await nameOf(mine)).toBe("bob");
  expect(await nameOf(await home.login({ token }, "127.0.0.1"))).toBe("bob");
  await home.person(0).call("account.update", { username: "bob", lock: true });
  expect(ends.toSorted()).toEqual(["mine", "other", "program"]);
});

test("a login of another account is not there to revoke", async () => {
  await using home = await TestKernel.boot();
  const { uid } = await home.person(0).call<{ uid: number }>("account.create", { username: "bob" });
  const entered = await enter(home, (await newCode(home)).code);
  expect(await home.refusal("sys.login.revoke", { id: entered.id }, home.person(uid))).toMatchObject({
    code: "ENOENT",
  });
  expect(await logins(home.person(uid))).toEqual([]);
  expect(await logins(home.person(0))).toHaveLength(1);
});

test("10,000 bad logins leave a bounded number of rows, and the owner still enters", async () => {
  await using home = await TestKernel.boot();
  await home.person(0).call("account.create", { username: "bob" });
  await home.person(0).call("account.passwd", { username: "bob", password: PASSWORD });
  const before = await rowsOf(home, "audit");
  for (let n = 0; n < 10_000; n++) {
    const peer = `203.0.113.${n % 50}`;
    const credentials = n % 2 === 0 ? { token: `gsv_user_${n}` } : { user: `nobody${n}`, password: "guess" };
    await home.login(credentials, peer).catch(() => {});
  }
  expect((await rowsOf(home, "audit")) - before).toBeLessThanOrEqual(50 * 22);
  expect(await rowsOf(home, "login_guard")).toBeLessThanOrEqual(50);
  expect(await nameOf(await home.login({ user: "bob", password: PASSWORD }, "198.51.100.1"))).toBe("bob");
  const { entries } = await home.person(0).call<{ entries: { detail: string }[] }>("audit.list", { limit: 1 });
  expect(entries[0]?.detail).toBe("with a password from 198.51.100.1, test/1");
});

test("a polling program adds one audit row in ten minutes, not one for each request", async () => {
  await using home = await TestKernel.boot();
  const { token } = await home.sys.call<{ token: string }>("sys.token.create", {});
  const before = await rowsOf(home, "audit");
  for (let n = 0; n < 100; n++) await (await home.login({ token }, "127.0.0.1")).close();
  expect((await rowsOf(home, "audit")) - before).toBe(1);
});

test("passwords over the network wait for their turn in a bounded queue", async () => {
  await using home = await TestKernel.boot();
  const attempt = (n: number) => home.login({ user: "sam", password: "wrong horse" }, `10.0.${n % 40}.1`);
  const faults = await Promise.all(Array.from({ length: 80 }, (_, n) => rejection(attempt(n))));
  const refused = faults.filter(({ message }) => message.startsWith("too many logins at once"));
  expect([refused.length, (refused[0] as { retryMs?: number }).retryMs]).toEqual([58, 2000]);
});
