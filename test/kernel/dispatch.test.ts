// Calls into the kernel: known, allowed, valid, carried out once. Every refusal is audited.

import { expect, test } from "bun:test";
import type { Sent } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman, inKernelDb } from "../support/people.ts";

type Row = { uid: number; pid: string | null; call: string; outcome: string; detail: string };

function audit(home: TestKernel): Row[] {
  return inKernelDb(home, (db) =>
    db.query<Row, []>("SELECT uid, pid, call, outcome, detail FROM audit ORDER BY id").all(),
  );
}

test("an unlisted call does not exist for any caller, whatever its name", async () => {
  await using home = await TestKernel.boot();
  const names = [
    "proc.nosuch",
    "",
    "toString",
    "__proto__",
    "constructor",
    "proc",
    "proc.list ",
    "PROC.LIST",
    "x".repeat(10_000),
  ];
  for (const name of names) {
    for (const sys of [home.sys, home.person(0), await home.insideOf(INIT)]) {
      const refused = await home.refusal(name, {}, sys);
      expect(refused.code).toBe("ENOSYS");
      expect(refused.message.length).toBeLessThan(120);
    }
  }
  expect(audit(home)).toHaveLength(names.length * 3);
});

test("the audit log records a refusal with account, process, call and reason, and no allowed call", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  await home.sys.call("proc.list", {});
  await home.refusal("proc.get", { pid: "task:zzzzzz" });
  await home.refusal("proc.list", { uid: 0 }, bob.sys);
  await home.refusal("sys.drain", {}, await home.insideOf(INIT));
  const agent = (await home.insideOf(INIT)).call<{ uid: number }>("system.whoami", {});
  expect(audit(home)).toEqual([
    {
      uid: bob.uid,
      pid: null,
      call: "proc.list",
      outcome: "EPERM",
      detail: "only root may list the processes of uid 0",
    },
    {
      uid: (await agent).uid,
      pid: INIT,
      call: "sys.drain",
      outcome: "EPERM",
      detail: "sys.drain is for people: a process may not call it",
    },
  ]);
});

test("an audit log that cannot be written does not turn a refusal into another error", async () => {
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const add = async () => {
        throw new Error("no space for the audit");
      };
      return { ...ports, kernel: { ...ports.kernel, audit: { ...ports.kernel.audit, add } } };
    },
  });
  expect(await home.refusal("no.such", {})).toMatchObject({ code: "ENOSYS" });
  expect(home.faults.splice(0).join()).toContain("no space for the audit");
});

test("an internal error is logged and returned as one line without details, and other calls continue", async () => {
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const trace = async () => {
        throw new TypeError("secret inner detail");
      };
      return { ...ports, processes: { ...ports.processes, trace } };
    },
  });
  const refused = await home.refusal("proc.trace", { pid: INIT });
  expect([refused.code, refused.message]).toEqual(["EIO", "internal error; see log/kernel.log"]);
  expect(home.faults.splice(0).join()).toContain("secret inner detail");
  expect(await home.say("still there?")).toMatchObject({ status: "ok" });
});

test("an exhausted resource of the machine is reported as such, with advice to retry", async () => {
  const codes = ["EMFILE", "ENOSPC"];
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const trace = async () => {
        throw Object.assign(new Error("rm '/x'"), { code: codes.shift() });
      };
      return { ...ports, processes: { ...ports.processes, trace } };
    },
  });
  const refused = async () => {
    const { code, message } = await home.refusal("proc.trace", { pid: INIT });
    return `${code}: ${message}`;
  };
  expect(await refused()).toBe("EAGAIN: the kernel of this home has too many open files");
  expect(await refused()).toBe("ENOSPC: the disk is full; nothing was saved");
  expect(home.faults.splice(0).join()).toContain("rm '/x'");
});

test("a request id used for a second call is refused, also while the first call is running", async () => {
  await using home = await TestKernel.boot();
  const send = (message: string) => home.sys.call<Sent>("proc.send", { message }, { requestId: "req-1" });
  const [one, two] = await Promise.allSettled([send("one"), send("two")]);
  expect(one.status).toBe("fulfilled");
  expect(two).toMatchObject({ status: "rejected", reason: { code: "ECONFLICT" } });
  expect(await send("three").catch((error) => error)).toMatchObject({ code: "ECONFLICT" });
  const write = (content: string) => home.sys.call("fs.write", { path: "~/a", content }, { requestId: "req-2" });
  const writes = await Promise.allSettled([write("one"), write("two")]);
  expect(writes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(await home.sys.call<object>("fs.read", { path: "~/a" })).toMatchObject({
    content: expect.stringContaining("one"),
  });
  await home.inState(INIT, "idle");
});

test("a request id of a message is refused for a reset, and the reverse", async () => {
  await using home = await TestKernel.boot();
  const send = (requestId: string) => home.sys.call<Sent>("proc.send", { message: "one" }, { requestId });
  const reset = (requestId: string) => home.sys.call("proc.reset", {}, { requestId });
  await home.ended((await send("req-1")).runId);
  expect(await reset("req-1").catch((error) => error)).toMatchObject({ code: "ECONFLICT" });
  await reset("req-2");
  expect(await send("req-2").catch((error) => error)).toMatchObject({ code: "ECONFLICT" });
  expect(await home.messages(INIT)).toEqual([]);
});

test("request ids of two accounts never collide", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  const options = { requestId: "req-1" };
  const mine = await home.sys.call<Sent>("proc.send", { message: "sam's" }, options);
  const bobs = await bob.sys.call<Sent>("proc.send", { message: "bob's" }, options);
  expect(bobs).toMatchObject({ pid: bob.init });
  expect(bobs.runId).not.toBe(mine.runId);
});

test("a malformed request id is refused before anything happens", async () => {
  await using home = await TestKernel.boot();
  for (const requestId of ["", " ", "a b", "x".repeat(129), "ü", "a\0b", "../x"]) {
    const refused = await home.sys.call("proc.send", { message: "x" }, { requestId }).catch((error) => error);
    expect(refused).toMatchObject({ code: "EINVAL" });
  }
  expect(await home.messages(INIT)).toEqual([]);
});

test("a client that disconnects does not cancel its request", async () => {
  await using home = await TestKernel.boot();
  const other = await home.client();
  const hangUp = new AbortController();
  const sent = other.call<Sent>("proc.send", { message: "one" }, { signal: hangUp.signal });
  hangUp.abort();
  await other.close();
  expect(await home.ended((await sent).runId)).toMatchObject({ status: "ok" });
});

/** Keyed calls; what is seen afterwards differs if one is carried out twice. */
const ONCE: {
  readonly [what: string]: (
    home: TestKernel,
  ) => Promise<readonly [call: string, args: object, seen: () => Promise<unknown>]>;
} = {
  "a message": async (home) => ["proc.send", { message: "one" }, () => home.outline(INIT)],
  "a task in a new workspace": async (home) => [
    "proc.spawn",
    { label: "one", prompt: "go", workspace: "new" },
    async () => [
      (await home.sys.call<{ processes: object[] }>("proc.list", {})).processes.length,
      (await home.sys.call<{ workspaces: object[] }>("workspace.list", {})).workspaces.length,
    ],
  ],
  "a reset": async (home) => {
    await home.say("one");
    return ["proc.reset", {}, () => archives(home)];
  },
  "a kill": async (home) => ["proc.kill", { pid: await answered(home) }, () => archives(home)],
  TERM: async (home) => ["proc.signal", { pid: await answered(home), signal: "TERM" }, () => archives(home)],
  KILL: async (home) => ["proc.signal", { pid: await answered(home), signal: "KILL" }, () => archives(home)],
  "an undo": async (home) => {
    const pid = await home.task({ workspace: "new" });
    for (const content of ["one", "two"]) {
      home.model.will(pid, { calls: [{ name: "Write", args: { path: "plan.md", content } }] });
      await home.say("write", { pid });
    }
    return ["proc.undo", { pid }, async () => (await home.stores.processes.undos(pid)).length];
  },
  "an agent": async (home) => ["agent.create", { name: "ada" }, () => home.sys.call("agent.list", {})],
  "a grant of credits": async (home) => [
    "credits.grant",
    { wallet: "ALICE7", amount: 10 },
    () => home.sys.call("credits.balance", { wallet: "ALICE7" }),
  ],
  "a raised budget": async (home) => {
    await home.sys.call("proc.budget", { pid: INIT, budget: "$1" });
    return ["proc.budget", { pid: INIT, budget: "+$1" }, () => home.sys.call("proc.budgets", { pid: INIT })];
  },
};

async function answered(home: TestKernel): Promise<string> {
  const pid = await home.task();
  await home.say("hello", { pid });
  return pid;
}

const archives = (home: TestKernel) => home.sys.call("archive.list", {});

for (const [what, called] of Object.entries(ONCE)) {
  test(`${what} is carried out once under one request id: at once, later, and at the next kernel`, async () => {
    await using home = await TestKernel.boot();
    const [name, args, seen] = await called(home);
    const ask = () => home.sys.call<object>(name, args, { requestId: "req-1" });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(second).toEqual(first);
    await home.quiet();
    const before = await seen();
    expect(await ask()).toEqual(first);
    await home.restart();
    expect(await ask()).toEqual(first);
    await home.quiet();
    expect(await seen()).toEqual(before);
  });
}

/** Calls with one id, one after the other, each different from the last. */
const UNLIKE: { readonly [what: string]: (home: TestKernel) => Promise<readonly (readonly [string, object])[]> } = {
  "messages to two processes": async (home) => [
    ["proc.send", { pid: await home.task(), message: "one" }],
    ["proc.send", { pid: await home.task(), message: "one" }],
  ],
  "a process to kill, and one to reset": async (home) => [
    ["proc.kill", { pid: await home.task() }],
    ["proc.reset", { pid: await home.task() }],
  ],
  "a kill that archives, and one that does not": async (home) => {
    const pid = await home.task();
    return [
      ["proc.kill", { pid }],
      ["proc.kill", { pid, noArchive: true }],
    ];
  },
  "stop and go on": async (home) => {
    const pid = await home.task();
    return [
      ["proc.signal", { pid, signal: "STOP" }],
      ["proc.signal", { pid, signal: "CONT" }],
    ];
  },
  "two tasks": async () => [
    ["proc.spawn", { label: "one" }],
    ["proc.spawn", { label: "two" }],
  ],
  "two settings": async () => [
    ["config.set", { key: "userTimezone", value: "UTC" }],
    ["config.set", { key: "userTimezone", value: "Europe/Berlin" }],
  ],
};

for (const [what, calls] of Object.entries(UNLIKE)) {
  test(`${what}: one request id cannot serve both`, async () => {
    await using home = await TestKernel.boot();
    const [[first, args], [second, others]] = (await calls(home)) as never as [[string, object], [string, object]];
    const options = { requestId: "req-1" };
    const answer = await home.sys.call<object>(first, args, options);
    await expect(home.sys.call(second, others, options)).rejects.toMatchObject({ code: "ECONFLICT" });
    // The refusal leaves the first call intact: it is answered again.
    expect(await home.sys.call<object>(first, args, options)).toEqual(answer);
  });
}

test("a request id for killing one process is refused for another, also after a restart", async () => {
  await using home = await TestKernel.boot();
  const [one, other] = [await home.task(), await home.task()];
  const kill = (pid: string) => home.sys.call("proc.kill", { pid }, { requestId: "req-1" });
  await kill(one);
  await expect(kill(other)).rejects.toMatchObject({ code: "ECONFLICT" });
  await home.restart();
  await expect(kill(other)).rejects.toMatchObject({ code: "ECONFLICT" });
  expect((await home.get(other)).pid).toBe(other);
});

test("a request id can be used again if its call was refused", async () => {
  await using home = await TestKernel.boot();
  const options = { requestId: "req-1" };
  await expect(home.sys.call("proc.send", { pid: "task:zzzzzz", message: "x" }, options)).rejects.toMatchObject({
    code: "ESRCH",
  });
  expect(await home.sys.call<Sent>("proc.send", { message: "x" }, options)).toMatchObject({ pid: INIT });
});
