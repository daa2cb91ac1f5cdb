// The capability matrix: every call, by every kind of caller, on things of two owners. A call that the table does not allow is refused. A
// call without a row fails the first test; a caller without capabilities gets nothing.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { NAMING } from "../support/naming.ts";
import { seeded } from "../support/random.ts";
import { drawn, samples } from "../support/soak.ts";
import { AGENT_ROWS } from "./matrix/agents.ts";
import { LINK_ROWS } from "./matrix/links.ts";
import { LOGIN_ROWS } from "./matrix/logins.ts";
import { REPO_ROWS } from "./matrix/repos.ts";
import { SCHEDULE_ROWS } from "./matrix/schedules.ts";
import { SESSION_ROWS } from "./matrix/sessions.ts";
import { SHELL_ROWS } from "./matrix/shell.ts";
import { STORAGE_ROWS } from "./matrix/storage.ts";
import { SYSTEM_ROWS } from "./matrix/system.ts";
import {
  ABSENT,
  ALL,
  type Call,
  HIDDEN,
  type Owner,
  PERSON,
  PERSONS_OWN,
  pid,
  ROOT,
  type Row,
  type Rows,
  World,
} from "./matrix/world.ts";

const GONE: Row = ["ENOENT", "ENOENT", "ENOENT", "EPERM", "EPERM"];
const FILES: Row = ["ok", "EACCES", "ok", "ok", "EACCES"];
const REFUSED: Row = ["ok", "EPERM", "ok", "EPERM", "EPERM"];

const aboutPid = (more: object) => async (world: World, owner: Owner) => ({ ...more, ...(await pid(world, owner)) });

/** A process that has answered once. */
const answered = (more: object) => async (world: World, owner: Owner) => {
  const made = await world.pid(owner);
  const sys = world.people[owner];
  const { runId } = await sys.call<{ runId: string }>("proc.send", { pid: made, message: "hello" });
  await sys.call("proc.wait", { pids: [made], run: runId });
  return { pid: made, ...more };
};

const theFile = async (world: World, owner: Owner) => ({ path: await world.file(owner) });

const TABLE: Rows = {
  "proc.list": { outcomes: ALL, about: () => ({}) },
  "proc.get": { outcomes: HIDDEN, about: pid },
  "proc.spawn": { outcomes: HIDDEN, about: async (world, owner) => ({ parent: await world.pid(owner) }) },
  "proc.send": { outcomes: HIDDEN, about: aboutPid({ message: "hello" }) },
  "proc.abort": { outcomes: HIDDEN, about: pid },
  "proc.label": { outcomes: HIDDEN, about: aboutPid({ label: "x" }) },
  "proc.history": { outcomes: HIDDEN, about: pid },
  "proc.prompt": { outcomes: HIDDEN, about: pid },
  "proc.diff": { outcomes: HIDDEN, about: pid },
  "proc.undo": { outcomes: ["ENOENT", "ESRCH", "ENOENT", "EPERM", "EPERM"], about: pid },
  "proc.rewind": { outcomes: ["ENOENT", "ESRCH", "ENOENT", "EPERM", "EPERM"], about: aboutPid({ message: 900 }) },
  "proc.context.list": { outcomes: HIDDEN, about: pid },
  "proc.context.set": {
    outcomes: ["ok", "ESRCH", "ok", "EPERM", "ESRCH"],
    about: aboutPid({ name: "a.md", text: "x" }),
  },
  "proc.message": { outcomes: HIDDEN, about: answered({ seq: 1 }) },
  "proc.trace": { outcomes: HIDDEN, about: pid },
  "proc.caps": { outcomes: HIDDEN, about: pid },
  "proc.model": { outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"], about: pid },
  // Usage of a deleted process can be read.
  "proc.usage": { outcomes: HIDDEN, about: pid },
  "proc.runs": { outcomes: HIDDEN, about: pid },
  "proc.nice": { outcomes: HIDDEN, about: pid },
  "proc.budgets": { outcomes: HIDDEN, about: pid },
  "proc.budget": {
    outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"],
    about: aboutPid({ budget: "$1" }),
  },
  "proc.compact": { outcomes: HIDDEN, about: pid },
  "proc.search": { outcomes: ALL, about: () => ({ words: ["hello"] }) },
  "proc.segments": { outcomes: HIDDEN, about: pid },
  "proc.fork": { outcomes: HIDDEN, about: answered({}) },
  "proc.history.policy": { outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"], about: pid },
  "ai.outages": { outcomes: ALL, about: () => ({}) },
  "ai.models": { outcomes: ALL, about: () => ({ provider: "offline" }) },
  "ai.test": { outcomes: PERSON, about: () => ({ model: "offline" }) },
  "codemode.exec": { outcomes: ["EPERM", "EPERM", "EPERM", "EPERM", "EPERM"], about: () => ({ code: "return 1" }) },
  // This call of a process is denied: no person was asked and no rule allows it.
  "net.fetch": { outcomes: ["EINVAL", "EINVAL", "EINVAL", "EPERM", "EPERM"], about: () => ({ url: "file:///x" }) },
  "sys.mcp.call": {
    outcomes: ["ENOENT", "ENOENT", "ENOENT", "EPERM", "EPERM"],
    about: () => ({ tool: "calendar_add", args: {} }),
  },
  "sys.mcp.offer": { outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"], about: pid },
  "sys.mcp.answer": { outcomes: ["ok", "ok", "ok", "EPERM", "EPERM"], about: () => ({ call: "none", text: "x" }) },
  "proc.reset": { outcomes: HIDDEN, about: pid },
  "proc.kill": { outcomes: HIDDEN, about: pid },
  "proc.wait": { outcomes: HIDDEN, about: async (world, owner) => ({ pids: [await world.pid(owner)] }) },
  "proc.signal": { outcomes: HIDDEN, about: aboutPid({ signal: "STOP" }) },
  "fs.read": { outcomes: FILES, about: async (world, owner) => ({ path: await world.file(owner) }) },
  "fs.write": { outcomes: FILES, about: async (world, owner) => ({ path: await world.file(owner), content: "x" }) },
  "fs.edit": {
    outcomes: FILES,
    about: async (world, owner) => ({ path: await world.file(owner), oldString: "words", newString: "x" }),
  },
  "fs.delete": { outcomes: FILES, about: async (world, owner) => ({ path: await world.file(owner) }) },
  "fs.search": { outcomes: FILES, about: async (world, owner) => ({ query: "words", path: await world.file(owner) }) },
  "fs.stat": { outcomes: FILES, about: theFile },
  "fs.list": { outcomes: FILES, about: (_world, owner) => ({ path: `/home/${owner}` }) },
  "fs.get": { outcomes: FILES, about: theFile },
  "fs.stage": {
    outcomes: ALL,
    about: () => ({ upload: "0190a1b2-0000-7000-8000-000000000001", offset: 0, data: "eA==" }),
  },
  "fs.put": { outcomes: FILES, about: async (world, owner) => ({ ...(await theFile(world, owner)), data: "eA==" }) },
  "fs.mkdir": { outcomes: FILES, about: (world, owner) => ({ path: `/home/${owner}/${world.fresh()}` }) },
  "fs.rename": {
    outcomes: FILES,
    about: async (world, owner) => ({ from: await world.file(owner), to: `/home/${owner}/${world.fresh()}` }),
  },
  "fs.link": { outcomes: FILES, about: (world, owner) => ({ path: `/home/${owner}/${world.fresh()}`, target: "x" }) },
  "fs.setattr": {
    // An agent may write its human's files; only the human may change their modes.
    outcomes: ["ok", "EACCES", "ok", "EPERM", "EACCES"],
    about: async (world, owner) => ({ ...(await theFile(world, owner)), mode: "0600" }),
  },
  "fs.uses": { outcomes: HIDDEN, about: pid },
  "fs.writers": { outcomes: ["ok", "EACCES", "ok", "EPERM", "EPERM"], about: theFile },
  "fs.remove": { outcomes: FILES, about: theFile },
  ...REPO_ROWS,
  "hil.list": { outcomes: ALL, about: () => ({}) },
  "hil.answer": {
    outcomes: PERSONS_OWN,
    about: async (world, owner) => ({ id: await world.approval(owner), decision: "deny" }),
  },
  "hil.ask": { outcomes: ["EINVAL", "EINVAL", "EINVAL", "EINVAL", "EINVAL"], about: () => ({ question: "?" }) },
  "hil.plan": { outcomes: ["EINVAL", "EINVAL", "EINVAL", "EPERM", "EPERM"], about: () => ({ plan: "1. go" }) },
  "policy.list": { outcomes: ALL, about: () => ({}) },
  "policy.add": { outcomes: PERSON, about: () => ({ action: "ask", command: "make" }) },
  "policy.revoke": { outcomes: GONE, about: () => ({ id: "none" }) },
  "hooks.list": { outcomes: ALL, about: () => ({}) },
  "hooks.show": { outcomes: GONE, about: () => ({ hook: "run-end/none" }) },
  "hooks.allow": { outcomes: GONE, about: () => ({ hook: "run-end/none", sha256: "0".repeat(64) }) },
  "hooks.deny": { outcomes: GONE, about: () => ({ hook: "run-end/none" }) },
  "hooks.run": { outcomes: GONE, about: () => ({ hook: "run-end/none", event: "{}" }) },
  "hooks.test": { outcomes: GONE, about: () => ({ hook: "run-end/none" }) },
  "policy.explain": { outcomes: HIDDEN, about: aboutPid({ command: "ls" }) },
  "proc.restart": { outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"], about: pid },
  "proc.extend": { outcomes: ["EINVAL", "ESRCH", "EINVAL", "EPERM", "EPERM"], about: pid },
  "proc.mode": { outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"], about: pid },
  "archive.list": { outcomes: ALL, about: () => ({}) },
  "archive.show": { outcomes: ABSENT, about: async (world, owner) => ({ id: await world.archive(owner) }) },
  "archive.verify": { outcomes: ABSENT, about: async (world, owner) => ({ id: await world.archive(owner) }) },
  "config.context.list": { outcomes: ALL, about: () => ({}) },
  "config.context.set": { outcomes: ROOT, about: () => ({ name: "a.md", text: "x" }) },
  "config.get": { outcomes: ALL, about: () => ({ key: "userTimezone" }) },
  "config.list": { outcomes: ALL, about: () => ({}) },
  "config.set": { outcomes: PERSON, about: () => ({ key: "userTimezone", value: "UTC" }) },
  "config.unset": { outcomes: PERSON, about: () => ({ key: "userTimezone" }) },
  "config.apply": { outcomes: PERSON, about: () => ({ changes: { userTimezone: "UTC" } }) },
  "account.list": { outcomes: ALL, about: () => ({}) },
  "account.create": { outcomes: REFUSED, about: (world, owner) => ({ username: world.fresh(), owner }) },
  "account.update": {
    outcomes: PERSONS_OWN,
    about: async (world, owner) => ({ username: await world.agent(owner), comment: "x" }),
  },
  "account.remove": { outcomes: PERSONS_OWN, about: async (world, owner) => ({ username: await world.agent(owner) }) },
  "account.passwd": {
    outcomes: REFUSED,
    about: (_world, owner) => ({ username: owner, old: "long enough", password: "long enough" }),
  },
  "group.list": { outcomes: ALL, about: () => ({}) },
  "group.add": { outcomes: ROOT, about: (world) => ({ name: world.fresh() }) },
  "group.mod": {
    outcomes: ROOT,
    about: async (world, owner) => ({ name: await world.group(), add: owner, grant: "fs.*" }),
  },
  "group.rm": { outcomes: ROOT, about: async (world) => ({ name: await world.group() }) },
  "audit.list": { outcomes: PERSON, about: () => ({}) },
  ...LOGIN_ROWS,
  ...AGENT_ROWS,
  ...SHELL_ROWS,
  ...SCHEDULE_ROWS,
  ...SESSION_ROWS,
  ...STORAGE_ROWS,
  ...SYSTEM_ROWS,
  ...LINK_ROWS,
};

/** Which of the five outcomes an actor has for a thing of an owner; a code if it is fixed by the actor. */
function expected(
  { outcomes: [own, other, root, ownProcess, otherProcess] }: Call,
  actor: string,
  owner: Owner,
): string {
  const mine = (owner === "sam") === !actor.includes("other");
  switch (actor) {
    case "owner":
    case "other human":
      return mine ? own : other;
    case "root":
      return root;
    case "process of owner":
    case "process of other":
    case "agent account":
      return mine ? ownProcess : otherProcess;
    case "locked account":
      return "EAUTH";
    default:
      return "EPERM";
  }
}

async function outcome(sys: Sys, name: string, args: object): Promise<string> {
  try {
    await sys.call(name, args);
    return "ok";
  } catch (error) {
    return (error as SysError).code;
  }
}

/** The owner of the thing, chosen by the name of the call: either choice covers every outcome of its row. A full run covers both. */
function ownersFor(name: string): readonly Owner[] {
  const owners: Owner[] = ["sam", "bob"];
  return samples(1, 2) === 2 ? owners : [seeded(Bun.hash.crc32(name)).pick(owners)];
}
let world: World;
beforeAll(async () => {
  world = await World.make();
});
afterAll(() => world.home[Symbol.asyncDispose]());

test("every call has a row, and there are at least 600 cells", () => {
  const missing = [...SYSCALLS.keys()].filter((name) => !(name in TABLE));
  expect(missing.map((name) => `add ${name} to TABLE in test/kernel/matrix.test.ts`)).toEqual([]);
  expect(Object.keys(TABLE)).toHaveLength(SYSCALLS.size);
  expect(SYSCALLS.size * 9 * 2).toBeGreaterThanOrEqual(600);
});

/** Calls that a process may make, but not these of its row: they need an approval, or the rights of an owner. */
const NOT_THIS_ONE = ["codemode.exec", "fs.setattr", "proc.context.set", "repo.import", "repo.sync"];

test("the calls for people are exactly those that are refused to every process, and no tool of a model is one", () => {
  const calls = [...SYSCALLS.values()];
  const forPeople = calls.filter(({ by }) => by !== "anyone").map(({ name }) => name);
  const refused = Object.entries(TABLE).filter(([, { outcomes }]) => outcomes[3] === "EPERM");
  expect([...forPeople, ...NOT_THIS_ONE].sort()).toEqual(refused.map(([name]) => name).sort());
  // A call that only needs an approval is possible, but only through the tool.
  expect(calls.filter(({ by, tool }) => by === "person" && tool !== undefined)).toEqual([]);
});

test("every call that hides another account's things is one of those whose answers are compared with a missing thing", () => {
  const hides = ({ outcomes: [own, other] }: Call) => /ESRCH|ENOENT/.test(other) && own !== other;
  const missing = Object.entries(TABLE).filter(([name, call]) => hides(call) && !(name in NAMING));
  expect(missing.map(([name]) => `add ${name} to NAMING in test/support/naming.ts`)).toEqual([]);
});

const CALLS_EACH_RUN = 80; // of many hundred cells: each run draws others

test.each(drawn(CALLS_EACH_RUN, Object.entries(TABLE)))(
  "%s is allowed to the callers in its row and to no others",
  async (name, call) => {
    expect(Object.keys(world.actors)).toHaveLength(9);
    const onlyLooks = SYSCALLS.get(name)?.class === "read";
    for (const owner of ownersFor(name)) {
      let args: object | null = null;
      for (const [actor, sys] of Object.entries(world.actors)) {
        args ??= await call.about(world, owner);
        const cell = `${name} by ${actor} on ${owner}'s:`;
        const came = await outcome(sys, name, args);
        expect(`${cell} ${came}`).toBe(`${cell} ${expected(call, actor, owner)}`);
        // Things that were only read, or refused, are reused.
        if (came === "ok" && !onlyLooks) args = null;
      }
    }
  },
);

test("a call without a row is refused to all nine callers, and each refusal is audited", async () => {
  for (const [actor, sys] of Object.entries(world.actors)) {
    const code = actor === "locked account" ? "EAUTH" : "ENOSYS";
    expect(`${actor} ${await outcome(sys, "account.explode", {})}`).toBe(`${actor} ${code}`);
  }
  const { entries } = await world.home
    .person(0)
    .call<{ entries: { call: string }[] }>("audit.list", { denied: true, limit: 1000 });
  expect(entries.filter((row) => row.call === "account.explode")).toHaveLength(9);
});
