// Login with a password or a token. Wrong credentials reveal nothing and are slowed down per account and per peer.

import { expect, test } from "bun:test";
import type { Credentials } from "../../src/abi/identity.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { Passwords } from "../../src/kernel/logins/passwords.ts";
import { TestKernel } from "../support/kernel.ts";
import { inKernelDb } from "../support/people.ts";
import { rejection } from "../support/refusal.ts";

const PASSWORD = "correct horse";

async function withBob(): Promise<TestKernel> {
  const home = await TestKernel.boot();
  await home.person(0).call("account.create", { username: "bob" });
  await home.person(0).call("account.passwd", { username: "bob", password: PASSWORD });
  return home;
}

const refusal = (home: TestKernel, credentials: Credentials, peer?: string) => rejection(home.login(credentials, peer));
const nameOf = async (sys: Sys) => (await sys.call<{ username: string }>("system.whoami", {})).username;

test("the right password logs in, and a wrong one reads the same as an unknown account", async () => {
  await using home = await withBob();
  expect(await nameOf(await home.login({ user: "bob", password: PASSWORD }))).toBe("bob");
  for (const user of ["bob", "nemo", "friday", "sam", "drivers", ""]) {
    const { code, message } = await refusal(home, { user, password: "wrong horse" });
    expect(`${code} ${message}`).toBe(`EAUTH cannot act as ${user}: wrong password or token`);
  }
});

test("root is locked until the home's owner sets its first password on a terminal", async () => {
  await using home = await withBob();
  expect(await refusal(home, { user: "root", password: "" })).toMatchObject({
    code: "EAUTH",
    message: expect.stringContaining("locked"),
  });
  const bob = await home.login({ user: "bob", password: PASSWORD });
  const wish = { username: "root", password: "root's own words", typed: true };
  expect((await home.refusal("account.passwd", wish, bob)).code).toBe("EPERM");
  expect((await home.refusal("account.passwd", { ...wish, typed: false })).code).toBe("EPERM");
  await home.sys.call("account.passwd", wish);
  expect(await nameOf(await home.login({ user: "root", password: wish.password }))).toBe("root");
  expect((await home.refusal("account.passwd", { ...wish, password: "another one" })).code).toBe("EPERM");
});

test("ten failures lock even the right password out for 30 s, doubling up to 15 minutes", async () => {
  await using home = await withBob();
  const wrong = () => refusal(home, { user: "bob", password: "wrong horse" }, "them");
  const right = () => home.login({ user: "bob", password: PASSWORD }, "them");
  const refused = async () => (await refusal(home, { user: "bob", password: PASSWORD }, "them")).message;
  for (let n = 0; n < 10; n++) expect((await wrong()).message).toContain("wrong password or token");
  for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
    expect(await refused()).toContain(`try again in ${seconds} s`);
    await home.clock.advance(seconds * 1000 - 1);
    expect(await refused()).toContain("try again in 1 s");
    await home.clock.advance(1);
    expect((await wrong()).message).toContain("wrong password or token");
  }
  await home.clock.advance(900_000);
  expect(await nameOf(await right())).toBe("bob");
});

test("a stranger's wrong passwords lock the stranger out, and never the owner of the account", async () => {
  await using home = await withBob();
  for (let n = 0; n < 30; n++) await refusal(home, { user: "bob", password: "wrong horse" }, "stranger");
  expect((await refusal(home, { user: "bob", password: PASSWORD }, "stranger")).message).toContain("too many");
  expect(await nameOf(await home.login({ user: "bob", password: PASSWORD }, "bob's own"))).toBe("bob");
  const stillLocked = await refusal(home, { user: "bob", password: PASSWORD }, "stranger");
  expect(stillLocked.message).toContain("too many");
});

test("a lock survives the kernel", async () => {
  await using home = await withBob();
  for (let n = 0; n < 10; n++) await refusal(home, { user: "bob", password: "wrong horse" });
  await home.restart();
  expect((await refusal(home, { user: "bob", password: PASSWORD })).message).toContain("too many");
});

test("a peer that guesses at many accounts is locked out of all, and its own logins buy no more guesses", async () => {
  await using home = await withBob();
  for (let n = 0; n < 10; n++) {
    await refusal(home, { user: `nobody${n}`, password: "guess guess" }, "them");
    if (n < 9) await home.login({ user: "bob", password: PASSWORD }, "them");
  }
  expect((await refusal(home, { user: "bob", password: PASSWORD }, "them")).message).toContain("too many");
  expect(await nameOf(await home.login({ user: "bob", password: PASSWORD }, "us"))).toBe("bob");
});

test.each<[string, Credentials]>([
  ["a token beside the password", { user: "bob", password: "wrong horse", token: "gsv_user_x" }],
  ["a right password beside a token", { user: "bob", password: PASSWORD, token: "gsv_user_x" }],
  ["a field of another protocol", { user: "bob", password: "wrong horse", deviceToken: "x" } as Credentials],
  ["nothing but a name", { user: "bob" }],
])("%s counts as a failed login", async (_what, credentials) => {
  await using home = await withBob();
  for (let n = 0; n < 10; n++) expect((await refusal(home, credentials, "us")).code).toBe("EAUTH");
  expect((await refusal(home, { user: "bob", password: PASSWORD }, "us")).message).toContain("too many");
});

test("parallel guesses count like sequential ones", async () => {
  await using home = await withBob();
  const tries = Array.from({ length: 40 }, () => refusal(home, { user: "bob", password: "wrong horse" }));
  const outcomes = (await Promise.all(tries)).map(({ message }) => message.includes("wrong password or token"));
  expect(outcomes.filter(Boolean)).toHaveLength(10);
});

test("parallel correct logins are not counted as guesses, and a valid token works during a lock", async () => {
  await using home = await withBob();
  const logins = Array.from({ length: 30 }, () => home.login({ user: "bob", password: PASSWORD }));
  expect(await Promise.all((await Promise.all(logins)).map(nameOf))).toEqual(Array(30).fill("bob"));
  const { token } = await home.sys.call<{ token: string }>("sys.token.create", {});
  for (let n = 0; n < 10; n++) await refusal(home, { token: `gsv_user_guess${n}` });
  expect((await refusal(home, { user: "bob", password: PASSWORD })).message).toContain("too many");
  expect((await refusal(home, { user: "root", token })).message).toContain("too many");
  expect(await nameOf(await home.login({ token }))).toBe("sam");
});

test("at most two passwords are hashed at once, and all logins finish", async () => {
  const passwords = new Passwords({ memoryCost: 1024, timeCost: 1 });
  const hash = await passwords.hash(PASSWORD);
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) => passwords.verify(n % 2 === 0 ? PASSWORD : "wrong", n === 6 ? "!" : hash)),
  );
  expect(results).toEqual([true, false, true, false, true, false, false, false]);
  expect(passwords.peak).toBe(2);
});

test("changing a password needs the current one, counts wrong ones, and refuses short or multi-line passwords", async () => {
  await using home = await withBob();
  const bob = await home.login({ user: "bob", password: PASSWORD });
  for (const password of ["short", "a\nb\nc\nd\ne", "x".repeat(1025)])
    expect((await home.refusal("account.passwd", { old: PASSWORD, password }, bob)).code).toBe("EINVAL");
  expect((await home.refusal("account.passwd", { old: "wrong horse", password: "next words" }, bob)).code).toBe(
    "EAUTH",
  );
  const change = { old: PASSWORD, password: "next words" };
  await bob.call("account.passwd", change, { requestId: "req-1" });
  await bob.call("account.passwd", change, { requestId: "req-1" });
  expect(await nameOf(await home.login({ user: "bob", password: "next words" }))).toBe("bob");
  for (let n = 0; n < 10; n++) await home.refusal("account.passwd", { old: `guess ${n}`, password: "new words" }, bob);
  expect((await home.refusal("account.passwd", { old: "next words", password: "new words" }, bob)).message).toContain(
    "too many",
  );
});

test("every login is audited, right or wrong, but not the typed name", async () => {
  await using home = await withBob();
  await home.login({ user: "bob", password: PASSWORD });
  await refusal(home, { user: "bob", password: "wrong horse" });
  await refusal(home, { user: "my secret phrase", password: "bob" });
  const rows = inKernelDb(home, (db) =>
    db
      .query<{ outcome: string; detail: string }, []>(
        "SELECT outcome, detail FROM audit WHERE call = 'login' ORDER BY id",
      )
      .all(),
  );
  expect(rows).toEqual([
    { outcome: "ok", detail: "with a password" },
    { outcome: "EAUTH", detail: "cannot act as bob: wrong password or token" },
    { outcome: "EAUTH", detail: "unknown account" },
  ]);
});
