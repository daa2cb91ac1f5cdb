// Accounts on the command line: `--user` with any command, hidden passwords, saved logins.

import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
  io.fakeSys.answer("proc.list", () => ({ processes: [], next: null }));
});

describe("--user", () => {
  test.each([
    ["before the command", ["--user", "bob", "ps"]],
    ["after it", ["ps", "--user", "bob"]],
    ["with an equals sign", ["ps", "--user=bob", "--json"]],
  ])("%s it works with any command", async (_where, argv) => {
    expect(await runs(io, ...argv)).toBe(0);
    expect(io.actedAs).toEqual(["bob"]);
    expect(io.fakeSys.asked("proc.list")).toHaveLength(1);
  });

  test("after -- it is ordinary text", async () => {
    io.fakeSys.answer("proc.send", () => ({ runId: "r1" }));
    expect(await runs(io, "send", "--", "--user")).toBe(0);
    expect(io.actedAs).toEqual([]);
    expect(io.fakeSys.asked("proc.send")).toMatchObject([{ message: "--user" }]);
  });

  test.each([
    [["ps", "--user"]],
    [["ps", "--user", "--json"]],
    [["ps", "--user="]],
    [["ps", "--user", "../bob"]],
    [["ps", "--user", "bob", "--user", "root"]],
  ])("%p is a usage error, and asks for no password", async (argv) => {
    expect(await runs(io, ...argv)).toBe(2);
    expect(io.fakeSys.calls).toEqual([]);
    expect(io.actedAs).toEqual([]);
  });
});

describe("gsv passwd", () => {
  function as(uid: number, username: string, password: boolean): void {
    io.fakeSys.answer("system.whoami", () => ({ uid, username }));
    io.fakeSys.answer("account.list", () => ({ accounts: [{ username, password }] }));
    io.fakeSys.answer("account.passwd", (args: { username: string }) => ({ username: args.username }));
  }

  test("asks for the current password and twice for the new one, and prints none of them", async () => {
    as(1000, "sam", true);
    io.terminal().hidden.push("old words", "new words", "new words");
    expect(await runs(io, "passwd")).toBe(0);
    expect(io.questions).toEqual(["current password of sam: ", "new password of sam: ", "repeat new password: "]);
    expect(io.fakeSys.asked("account.passwd")).toEqual([
      { username: "sam", old: "old words", password: "new words", typed: true },
    ]);
    expect(io.stdout.text + io.stderr.text).toBe("password of sam changed\n");
  });

  test("does not ask for a missing old password, and root is asked for none", async () => {
    as(1000, "sam", false);
    io.terminal().hidden.push("new words", "new words");
    await runs(io, "passwd");
    as(0, "root", true);
    io.hidden.push("new words", "new words");
    await runs(io, "passwd", "bob");
    expect(io.questions.filter((prompt) => prompt.includes("so far"))).toEqual([]);
    expect(io.fakeSys.asked("account.passwd").map(({ username }) => username)).toEqual(["sam", "bob"]);
  });

  test("two different passwords change nothing", async () => {
    as(1000, "sam", false);
    io.terminal().hidden.push("new words", "new wrods");
    expect(await runs(io, "passwd")).toBe(2);
    expect(io.fakeSys.asked("account.passwd")).toEqual([]);
  });

  test("reads lines from stdin, and does not report them as typed", async () => {
    as(1000, "sam", true);
    io.stdin = stdinOf("pipe", ["old words\nnew words\n"]);
    expect(await runs(io, "passwd")).toBe(0);
    expect(io.fakeSys.asked("account.passwd")).toEqual([{ username: "sam", old: "old words", password: "new words" }]);
    expect(io.questions).toEqual([]);
  });
});

describe("gsv auth", () => {
  const made = { id: "0190a1b2-0000-7000-8000-000000000001", token: "gsv_user_secret", expiresAt: 1_767_351_600_000 };

  test("login asks for the password again, stores a token for eight hours and never prints it; logout deletes it", async () => {
    io.fakeSys.answer("sys.token.create", () => made).answer("sys.token.revoke", () => ({}));
    expect(await runs(io, "auth", "login", "bob")).toBe(0);
    expect(io.actedAs).toEqual(["bob fresh"]);
    expect(io.fakeSys.asked("sys.token.create")).toMatchObject([{ kind: "user", expires: "8h" }]);
    expect(io.logins.get("bob")).toEqual(made);
    expect(io.stdout.text).toBe("signed in as bob until 2026-01-02T11:00:00.000Z\n");
    expect(await runs(io, "auth", "logout", "bob")).toBe(0);
    expect(io.fakeSys.asked("sys.token.revoke")).toMatchObject([{ id: made.id }]);
    expect(io.logins.size).toBe(0);
    expect(await runs(io, "auth", "logout", "bob")).toBe(0);
    expect(io.stdout.text).toEndWith("not signed in as bob\n");
  });

  test("logout also deletes a token that the kernel no longer has", async () => {
    io.logins.set("bob", made);
    io.fakeSys.answer("sys.token.revoke", () => {
      throw new SysError("EAUTH", "this token was revoked");
    });
    expect(await runs(io, "auth", "logout", "bob")).toBe(4);
    expect(io.logins.size).toBe(0);
  });

  test("token create prints only the token, for scripts", async () => {
    io.fakeSys.answer("sys.token.create", () => made);
    expect(await runs(io, "auth", "token", "create", "--label", "backup", "--expires", "30d")).toBe(0);
    expect(io.stdout.text).toBe("gsv_user_secret\n");
    expect(io.fakeSys.asked("sys.token.create")).toEqual([{ kind: "user", label: "backup", expires: "30d" }]);
  });
});

test("gsv user uses the account words of Unix", async () => {
  const account = {
    username: "bob",
    uid: 1002,
    kind: "human",
    password: false,
    locked: false,
    groups: [],
    comment: "",
  };
  io.fakeSys.answer("account.create", () => account).answer("account.remove", () => ({ username: "bob", ended: [] }));
  expect(await runs(io, "user", "add", "bob")).toBe(0);
  expect(await runs(io, "user", "rm", "bob", "--force")).toBe(0);
  expect(io.stdout.lines).toEqual([
    "added bob (uid 1002, human); it has no password yet: gsv passwd bob --user root",
    "removed bob",
  ]);
  expect(await runs(io, "user", "explode")).toBe(2);
});
