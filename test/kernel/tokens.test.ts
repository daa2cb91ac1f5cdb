// Tokens identify an account until they expire or are revoked, allow only the calls of their kind, and cannot be recovered from the
// database.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SysError } from "../../src/abi/errno.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { TokenInfo } from "../../src/syscalls/account/account-service.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { TestKernel } from "../support/kernel.ts";
import { inKernelDb } from "../support/people.ts";

type Made = TokenInfo & { readonly token: string };

const make = (home: TestKernel, args: object = {}) => home.sys.call<Made>("sys.token.create", args);
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => error as SysError,
  );

test("a token is shown once, holds 256 random bits, and logs in only its account", async () => {
  await using home = await TestKernel.boot();
  const { token, id, prefix } = await make(home, { label: "backup" });
  expect(token).toMatch(/^gsv_user_[A-Za-z0-9_-]{43}$/);
  expect(prefix).toBe(token.slice(0, 16));
  const { tokens } = await home.sys.call<{ tokens: TokenInfo[] }>("sys.token.list", {});
  expect(tokens).toMatchObject([{ id, label: "backup", state: "live", expiresAt: null }]);
  expect(JSON.stringify(tokens)).not.toContain(token);
  const sys = await home.login({ token });
  expect(await sys.call<object>("system.whoami", {})).toMatchObject({ username: "sam", kind: "person" });
  expect(await failure(home.login({ user: "root", token }))).toMatchObject({ code: "EAUTH" });
  expect(await failure(home.login({ token: `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}` }))).toMatchObject(
    { code: "EAUTH" },
  );
});

test("an expired token cannot log in, and cuts off connected clients, calls and signals", async () => {
  await using home = await TestKernel.boot();
  const { token } = await make(home, { expires: "2h" });
  const sys = await home.login({ token });
  const heard: Signal[] = [];
  sys.on({}, (signal) => heard.push(signal));
  await home.say("one");
  const before = heard.length;
  await home.clock.advance(2 * 3_600_000);
  await home.say("two");
  expect([before > 0, heard.length]).toEqual([true, before]);
  expect((await home.refusal("proc.list", {}, sys)).code).toBe("EAUTH");
  expect(await failure(home.login({ token }))).toMatchObject({ code: "EAUTH", message: "this token has expired" });
});

test("a revoked token ends its connections at their next call, and their signals stop", async () => {
  await using home = await TestKernel.boot();
  const { token, id } = await make(home);
  const sys = await home.login({ token });
  const heard: Signal[] = [];
  sys.on({}, (signal) => heard.push(signal));
  await sys.call("proc.list", {});
  await home.sys.call("sys.token.revoke", { id, reason: "lost" });
  await home.say("hello");
  expect(heard).toEqual([]);
  expect((await home.refusal("proc.list", {}, sys)).message).toBe("this token was revoked");
  expect(await failure(home.login({ token }))).toMatchObject({ code: "EAUTH" });
  await home.restart();
  expect(await failure(home.login({ token }))).toMatchObject({ code: "EAUTH" });
});

test("each kind of token has one role: a device may call nothing, a service what its group may", async () => {
  await using home = await TestKernel.boot();
  const outcome = (args: object) => failure(make(home, args)).then((error) => error?.code ?? "ok");
  for (const [kind, role] of [
    ["user", "driver"],
    ["node", "user"],
    ["service", "driver"],
  ] as const) {
    expect(await outcome({ kind, role })).toBe("EINVAL");
  }
  expect(await outcome({ kind: "user", device: "laptop" })).toBe("EINVAL");
  expect(await outcome({ expires: "yesterday" })).toBe("EINVAL");
  for (const kind of ["node", "service"] as const) {
    const sys = await home.login({ token: (await make(home, { kind, label: kind })).token });
    for (const name of SYSCALLS.keys())
      expect(`${name} ${(await home.refusal(name, {}, sys)).code}`).toBe(`${name} EPERM`);
  }
});

test("a repeated request after a lost answer makes one token, and its secret is the one answered last", async () => {
  await using home = await TestKernel.boot();
  const ask = (label: string) => home.sys.call<Made>("sys.token.create", { label }, { requestId: "req-1" });
  const first = await ask("a");
  const second = await ask("a");
  expect(second.id).toBe(first.id);
  expect(await failure(home.login({ token: first.token }))).toMatchObject({ code: "EAUTH" });
  await home.login({ token: second.token });
  expect(await failure(ask("b"))).toMatchObject({ code: "ECONFLICT" });
  await home.sys.call("sys.token.revoke", { id: first.id });
  expect(await failure(ask("a"))).toMatchObject({ code: "ECONFLICT" });
});

test("no column, log or stored answer of the home holds a token or password", async () => {
  await using home = await TestKernel.boot();
  const password = "a password of sam's";
  await home.sys.call("account.passwd", { password });
  const { token } = await make(home, { label: "leak" });
  await home.login({ token });
  await home.login({ user: "sam", password });
  await failure((await home.insideOf("init:1000")).call("account.passwd", { password, old: "what it was" }));
  const columns = inKernelDb(home, (db) => {
    const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.flatMap(({ name }) =>
      db
        .query<object, []>(`SELECT * FROM "${name}"`)
        .all()
        .flatMap((row) => Object.values(row)),
    );
  });
  const texts = columns.filter((value): value is string => typeof value === "string");
  for (const text of new Set(texts)) {
    if (text === "" || text.length > 300) continue;
    expect(await failure(home.login({ token: text }, text))).toMatchObject({ code: "EAUTH" });
  }
  const random = token.slice("gsv_user_".length);
  const forms = [
    password,
    random,
    Buffer.from(random, "base64url").toString("hex"),
    Buffer.from(token).toString("base64"),
    Buffer.from(password).toString("hex"),
  ];
  for (const file of readdirSync(home.directory, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = readFileSync(join(file.parentPath, file.name));
    for (const form of forms) expect(`${file.name} ${bytes.includes(form)}`).toBe(`${file.name} false`);
  }
});

test("a limited token uses only what it allows, is no person, and its account loses nothing", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ label: "notes" });
  const made = await make(home, { allow: "proc.list, fs.*,hil.answer,sys.token.create" });
  expect(made.allow).toEqual(["proc.list", "fs.*", "hil.answer", "sys.token.create"]);
  const { token } = made;
  const sys = await home.login({ token });
  const heard: Signal[] = [];
  sys.on({}, (signal) => heard.push(signal));
  expect(await sys.call("proc.list", {})).toMatchObject({ processes: [{ pid: "init:1000" }, { pid }] });
  await sys.call("fs.write", { path: "~/note.txt", content: "x" });
  await home.say("private words", { pid });
  const refused = (name: string, args: object = {}) => home.refusal(name, args, sys).then(({ code }) => code);
  expect({
    heard: heard.length,
    history: await refused("proc.history", { pid }),
    shell: await refused("shell.exec", { command: "ls" }),
    // For people only, even if they are allowed.
    token: await refused("sys.token.create"),
    answer: await refused("hil.answer", { id: "k3x9", decision: "approve" }),
    // Files that only people change.
    hook: await refused("fs.write", { path: "~/context.d/a.md", content: "obey" }),
    control: await refused("fs.write", { path: `/proc/${pid}/ctl`, content: "kill" }),
    host: await refused("fs.read", { path: "/etc/passwd", target: "host" }),
    why: await home.refusal("sys.token.create", {}, sys).then(({ message }) => message),
    unknown: await home.refusal("sys.token.create", { allow: "proc" }).then(({ message }) => message),
  }).toEqual({
    ...{ heard: 0, history: "EPERM", shell: "EPERM", token: "EPERM", answer: "EPERM" },
    ...{ hook: "EPERM", control: "EPERM", host: "EPERM" },
    why: "sys.token.create is for people: this token may not call it",
    unknown: "cannot allow: proc is not a valid capability",
  });
});

test("a limited token has no more than its account has, and its agents ask as always", async () => {
  await using home = await TestKernel.boot();
  const { token } = await make(home, { allow: "proc.*,sched.*,group.*,system.whoami,notification.*" });
  const sys = await home.login({ token });
  expect(await sys.call<object>("system.whoami", {})).toMatchObject({
    ...{
      kind: "program",
      username: "sam",
      capabilities: ["proc.*", "sched.*", "system.whoami", "notification.*", "group.list"],
    },
  });
  expect((await home.refusal("proc.spawn", { mode: "yolo" }, sys)).code).toBe("EPERM");
  expect((await home.refusal("proc.spawn", { workspace: home.directory }, sys)).code).toBe("EPERM");
  const { pid } = await sys.call<{ pid: string }>("proc.spawn", { label: "task" });
  expect(await home.get(pid)).toMatchObject({ mode: "ask", owner: "sam" });
  expect((await home.refusal("notify.send", { title: "Click", action: "approve k3x9" }, sys)).code).toBe("EPERM");
  const scheduled = { when: "every 1h", exec: "true", name: "x" };
  expect((await home.refusal("sched.add", scheduled, sys)).code).toBe("EPERM");
});

test("a limited token raises no cost: not the budget of a task, not its model, not its priority", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "budget.task", value: "$2" });
  const { token } = await make(home, { allow: "proc.*" });
  const sys = await home.login({ token });
  const { pid } = await sys.call<{ pid: string }>("proc.spawn", { label: "task", budget: "$100" });
  type Budgets = { readonly budgets: readonly { readonly pid: string | null; readonly budget: string }[] };
  const { budgets } = await home.sys.call<Budgets>("proc.budgets", { pid });
  expect(budgets.find((each) => each.pid === pid)?.budget).toBe("$2");
  expect(await home.refusal("proc.send", { message: "go", model: "planned" }, sys)).toMatchObject({
    ...{ code: "EPERM", message: "only a person chooses the model" },
  });
  expect((await home.refusal("proc.nice", { pid, nice: "-5" }, sys)).code).toBe("EPERM");
});
