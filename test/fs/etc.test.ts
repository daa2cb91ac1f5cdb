// /etc/passwd, shadow and group: views of the account tables that root writes whole, or not at all.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../../src/abi/identity.ts";
import type { AccountInfo } from "../../src/syscalls/account/account-service.ts";
import { bob, root, sam } from "../support/caller.ts";
import { TestKernel } from "../support/kernel.ts";
import { type Mounted, mounted } from "../support/mounted.ts";
import { codeOf, rejection } from "../support/refusal.ts";

let home: TestKernel;
let tree: Mounted;
const locked: [number, boolean][] = [];

beforeAll(async () => {
  home = await TestKernel.boot();
  tree = mounted(home, { onLocked: (uid, is) => locked.push([uid, is]) });
  await home.person(0).call("account.create", { username: "alice" });
});
afterAll(() => home[Symbol.asyncDispose]());

const account = async (name: string) =>
  (await home.person(0).call<{ accounts: AccountInfo[] }>("account.list", {})).accounts.find(
    ({ username }) => username === name,
  );
const change = async (file: string, from: string | RegExp, to: string, caller: Caller = root) =>
  tree.write(caller, file, (await tree.read(root, file)).replace(from, to));

describe("the account files", () => {
  test("list the accounts in Unix format, and only root sees passwords", async () => {
    expect(await tree.read(bob, "/etc/passwd")).toContain("sam:x:1000:1000::/home/sam:/bin/init\n");
    expect(await tree.read(bob, "/etc/group")).toMatch(/^users:x:100:sam,friday,alice,\w+$/m);
    expect(await codeOf(tree.read(sam, "/etc/shadow"))).toBe("EACCES");
    expect(await tree.read(root, "/etc/shadow")).toContain("alice:!::0:99999:7:::\n");
    const { mode, size } = await tree.files.stat(sam, "/etc/shadow");
    expect([mode, size > 40]).toEqual([0o640, true]);
  });

  test("hide passwords from a process that runs as root, and hide other files stored in /etc", async () => {
    const process = { ...root, kind: "process", pid: "task:abc123" } as const;
    expect(await codeOf(tree.read(process, "/etc/shadow"))).toBe("EACCES");
    expect(await codeOf(tree.read(process, "/etc/passwd"))).toBe("done");
    await tree.write(root, "/etc/motd", "hello\n");
    expect(await tree.names(bob, "/etc")).toEqual(["cron.d", "group", "motd", "passwd", "shadow"]);
    expect(await codeOf(tree.write(bob, "/etc/motd", "x"))).toBe("EACCES");
    expect(await codeOf(tree.files.rename(root, "/etc/motd", "/etc/passwd"))).toBe("EBUSY");
  });

  test("can only be written by root, and by no process even as root", async () => {
    for (const file of ["/etc/passwd", "/etc/shadow", "/etc/group"]) {
      const text = await tree.read(root, file);
      expect(await codeOf(tree.write(sam, file, text))).toBe("EACCES");
      expect(await codeOf(tree.write({ ...root, kind: "process", pid: "task:abc123" }, file, text))).toBe("EPERM");
      expect(await codeOf(tree.write(root, file, text))).toBe("done");
      expect(await tree.read(root, file)).toBe(text);
    }
  });

  test("apply the changes that root wrote", async () => {
    await change("/etc/passwd", "alice:x:1002:1002:", "alice:x:1002:1002:Alice of accounting");
    expect((await account("alice"))?.comment).toBe("Alice of accounting");
    await change("/etc/group", /^drivers:x:101:$/m, "drivers:x:101:alice");
    expect((await account("alice"))?.groups).toContain("drivers");
    await change("/etc/shadow", "alice:!:", "alice:!!!:");
    expect((await account("alice"))?.locked).toBe(true);
    await change("/etc/shadow", "alice:!!!::", "alice:!:20000:");
    expect(locked).toEqual([
      [1002, true],
      [1002, false],
    ]);
  });

  test("keep a password's hash and the day it was set", async () => {
    await home.person(0).call("account.passwd", { username: "alice", password: "correct horse" });
    const before = await tree.read(root, "/etc/shadow");
    const day = Math.floor(home.clock.now() / 86_400_000);
    expect(before).toMatch(new RegExp(`^alice:\\$argon2id\\$[^:]+:${day}:0:99999:7:::$`, "m"));
    await change("/etc/shadow", ":0:99999:", ":0:90:");
    await change("/etc/shadow", ":0:90:", ":0:99999:");
    expect(await tree.read(root, "/etc/shadow")).toBe(before);
    const client = await home.login({ user: "alice", password: "correct horse" });
    expect(await client.call("system.whoami", {})).toMatchObject({ username: "alice" });
  });

  test("with one wrong line are refused as a whole", async () => {
    const wrong: [string, string | RegExp, string][] = [
      ["/etc/passwd", "sam:x:1000:", "sam:x:0:"],
      ["/etc/passwd", "root:x:0:0:", "root:x:00:0:"],
      ["/etc/passwd", /^alice:.*\n/m, ""],
      ["/etc/passwd", /$/, "mallory:x:0:0::/root:/bin/init\n"],
      ["/etc/passwd", "/home/sam:", "/home/sam:/bin/init:"],
      ["/etc/passwd", "/home/sam:", "../root:"],
      ["/etc/passwd", "sam:x:", "sam::"],
      ["/etc/passwd", /\n$/, ""],
      ["/etc/passwd", /^[\s\S]*$/, ""],
      ["/etc/shadow", "friday:!:", "friday::"],
      ["/etc/shadow", "friday:!:", "friday:$argon2id$x:"],
      ["/etc/shadow", "sam:!:", "sam:!!!:"],
      ["/etc/shadow", "root:!:", "root:!!!:"],
      ["/etc/shadow", "root:!:", "root:$1$weak:"],
      ["/etc/shadow", ":0:99999:", ":soon:99999:"],
      ["/etc/group", "root:x:0:", "root:x:0:mallory"],
      ["/etc/group", "drivers:x:101:", "drivers:x:0:"],
      ["/etc/group", "users:x:100:sam", "users:x:100:sam,sam"],
    ];
    for (const [file, from, to] of wrong) {
      const before = await tree.read(root, file);
      const shown = before.replace(/^alice:.*$/m, (line) => line.replace("Alice of accounting", "somebody else"));
      const text = shown.replace(from, to);
      expect([file, to, text === shown]).toEqual([file, to, false]);
      expect([file, to, await codeOf(tree.write(root, file, text))]).toEqual([file, to, "EINVAL"]);
      expect(await tree.read(root, file)).toBe(before);
    }
    expect(await codeOf(tree.files.write(root, "/etc/passwd", new Uint8Array([0xff]), { at: "end" }))).toBe("EINVAL");
  });

  test("keep every home in place: no other directory, spelling or second account for it", async () => {
    const before = await tree.read(root, "/etc/passwd");
    for (const place of [
      "/home/sam/",
      "/home/./sam",
      "/home//sam",
      "/Home/sam",
      "/srv/sam",
      "/",
      "/home",
      "/home/x",
      "/home/friday",
      "/root",
      "/home/sam/context.d",
    ]) {
      const refused = await rejection(tree.write(root, "/etc/passwd", before.replace(":/home/sam:", `:${place}:`)));
      expect([place, refused.message]).toEqual([
        place,
        expect.stringMatching(/\/etc\/passwd is unchanged: line \d: sam must keep its home \/home\/sam$/),
      ]);
    }
    expect(await codeOf(tree.write(root, "/etc/passwd", before.replace(":/root:", ":/home/root:")))).toBe("EINVAL");
    expect(await tree.read(root, "/etc/passwd")).toBe(before);
  });

  test("accept a foreign password hash with a reasonable cost, and no other", async () => {
    const real = await Bun.password.hash("moved in here", { algorithm: "argon2id", memoryCost: 64, timeCost: 1 });
    const [, , , , salt = "", sum = ""] = real.split("$");
    const phc = (cost: string, parts = `${salt}$${sum}`) => `$argon2id$v=19$${cost}$${parts}`;
    const before = await tree.read(root, "/etc/shadow");
    const put = (hash: string) =>
      codeOf(
        tree.write(
          root,
          "/etc/shadow",
          before.replace(/^alice:[^:]*:/m, () => `alice:${hash}:`),
        ),
      );
    const refused = [
      "$argon2id$x",
      phc("m=4000000,t=50,p=1"),
      phc("m=262145,t=2,p=1"),
      phc("m=64,t=11,p=1"),
      phc("m=64,t=1,p=5"),
      phc("m=8,t=1,p=2"),
      phc("m=0,t=1,p=1"),
      phc("m=064,t=1,p=1"),
      phc("t=1,m=64,p=1"),
      phc("m=64,t=1,p=1", sum),
      phc("m=64,t=1,p=1", `c2hvcnQ$${sum}`),
      phc("m=64,t=1,p=1", `${salt}$c2hvcnQ`),
      phc("m=64,t=1,p=1", `${salt}$${sum}AA`),
      phc("m=64,t=1,p=1", `${salt}$${"A".repeat(4000)}`),
      real.replace("v=19", "v=16"),
      `!!!!${real}`,
    ];
    for (const hash of refused) expect([hash, await put(hash)]).toEqual([hash, "EINVAL"]);
    expect(await tree.read(root, "/etc/shadow")).toBe(before);
    expect(await put(phc("m=262144,t=10,p=4"))).toBe("done");
    expect(await put(real)).toBe("done");
    const client = await home.login({ user: "alice", password: "moved in here" });
    expect(await client.call("system.whoami", {})).toMatchObject({ username: "alice" });
  });

  test("refuse an empty or infinite number of days", async () => {
    const before = await tree.read(root, "/etc/shadow");
    const line = (days: string) => before.replace(/^friday:!:.*$/m, `friday:!:${days}`);
    for (const days of [
      "::99999:7:::",
      ":0::7:::",
      ":0:99999::::",
      ":0:9999999999:7:::",
      "9999999999:0:99999:7:::",
      ":0:99999:7:9999999999::",
      ":0:99999:7::1e9:",
    ])
      expect([days, await codeOf(tree.write(root, "/etc/shadow", line(days)))]).toEqual([days, "EINVAL"]);
    expect(await tree.read(root, "/etc/shadow")).toBe(before);
    expect(await codeOf(tree.write(root, "/etc/shadow", line("20000:1:90:7:14:30000:")))).toBe("done");
    expect(await tree.read(root, "/etc/shadow")).toContain("friday:!:20000:1:90:7:14:30000:\n");
  });

  test("refuse the second of two writers of the same version", async () => {
    const { version } = await tree.files.read(root, "/etc/passwd", { bytesMax: 1 << 20 });
    const text = await tree.read(root, "/etc/passwd");
    const one = tree.write(root, "/etc/passwd", text.replace("Alice of", "Alice from"), { ifVersion: version });
    const two = tree.write(root, "/etc/passwd", text.replace("Alice of", "Alice in"), { ifVersion: version });
    expect(await Promise.all([codeOf(one), codeOf(two)])).toEqual(["done", "ECONFLICT"]);
    expect((await account("alice"))?.comment).toBe("Alice from accounting");
  });
});
