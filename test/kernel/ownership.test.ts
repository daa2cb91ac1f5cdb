// Whose is whose: for everyone but its owner and root a process, an approval and an archive are exactly as if they did not exist,
// through every call there is, for people and for processes.

import { expect, test } from "bun:test";
import type { SysError } from "../../src/abi/errno.ts";
import type { Approval, ProcessInfo } from "../../src/abi/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import { TestKernel } from "../support/kernel.ts";
import { addHuman, type Person } from "../support/people.ts";

/** What belongs to somebody, or does not exist: the same calls are tried on both. */
interface Things {
  readonly pid: string;
  readonly run: string;
  readonly approval: string;
  readonly archive: string;
  readonly account: string;
  readonly token: string;
  readonly repo: string;
  readonly workspace: string;
}

const ABSENT: Things = {
  pid: "task:zzzzzz",
  run: "0190a1b2-0000-7000-8000-000000000001",
  approval: "zz99",
  archive: "0190a1b2-0000-7000-8000-000000000002",
  repo: "nemo/zzzzzz",
  workspace: "ws_zzzzzz",
  account: "nemo",
  token: "0190a1b2-0000-7000-8000-000000000003",
};

/** Every call that can name a thing of somebody else, with every way to name one. */
const NAMING: { readonly [call: string]: (things: Things) => object[] } = {
  "proc.get": ({ pid }) => [{ pid }],
  "proc.spawn": ({ pid, workspace }) => [{ parent: pid }, { parent: pid, as: "root" }, { workspace }],
  "workspace.get": ({ workspace: id }) => [{ id }],
  "workspace.log": ({ workspace: id }) => [{ id }, { id, path: "a.md" }],
  "workspace.attach": ({ workspace: what, pid }) => [{ what, pid: "init:1000" }, { what }, { what: "/", pid }],
  "workspace.archive": ({ workspace: id }) => [{ id }, { id, undo: true }],
  "proc.send": ({ pid }) => [
    { pid, message: "hello" },
    { pid, message: "hello", interrupt: true },
  ],
  "proc.caps": ({ pid }) => [{ pid }],
  "proc.model": ({ pid }) => [{ pid }, { pid, model: "offline" }],
  "proc.abort": ({ pid, run }) => [{ pid }, { pid, runId: run }],
  "proc.label": ({ pid }) => [{ pid, label: "mine" }],
  "proc.history": ({ pid }) => [{ pid }, { pid, limit: 1, afterSeq: 1 }],
  "proc.message": ({ pid }) => [{ pid }, { pid, seq: 1 }],
  "proc.trace": ({ pid }) => [{ pid }],
  "proc.media.list": ({ pid }) => [{ pid }],
  "proc.media.put": ({ pid }) => [{ pid, data: "aGk=" }],
  "proc.media.get": ({ pid, run: id }) => [{ pid, id }],
  "proc.media.rm": ({ pid, run: id }) => [{ pid, id }],
  "proc.reset": ({ pid }) => [{ pid }],
  "proc.kill": ({ pid }) => [{ pid }, { pid, noArchive: true }],
  "proc.wait": ({ pid, run }) => [{ pids: [pid] }, { pids: [pid], run }, { pids: [pid], patient: true }],
  "proc.signal": ({ pid }) => ["STOP", "CONT", "INT", "TERM", "KILL", "0"].map((signal) => ({ pid, signal })),
  "hil.list": ({ approval: id }) => [{ id }],
  "hil.answer": ({ approval: id }) => ["approve", "deny"].map((decision) => ({ id, decision })),
  "account.update": ({ account: username }) => [
    { username, comment: "x" },
    { username, lock: true },
    { username, unlock: true },
  ],
  "account.remove": ({ account: username }) => [{ username }, { username, force: true }],
  "account.passwd": ({ account: username }) => [
    { username, password: "long enough" },
    { username, password: "long enough", typed: true },
  ],
  "account.create": ({ account: owner }) => [{ username: "scout", agent: true, owner }],
  "sys.token.revoke": ({ token: id }) => [{ id }],
  "archive.show": ({ archive: id }) => [{ id }],
  "archive.verify": ({ archive: id }) => [{ id }],
  "fs.read": ({ pid }) => [`/proc/${pid}`, `/proc/${pid}/status`, `/proc/${pid}/messages`].map((path) => ({ path })),
  "fs.stat": ({ pid }) => [{ path: `/proc/${pid}` }, { path: `/proc/${pid}/status`, link: true }],
  "fs.list": ({ pid, workspace }) => [{ path: `/proc/${pid}` }, { path: `/workspaces/${workspace}` }],
  "fs.get": ({ pid }) => [{ path: `/proc/${pid}/status` }, { path: `/proc/${pid}/messages`, offset: 3 }],
  "fs.put": ({ pid, workspace }) => [
    { path: `/proc/${pid}/status`, data: "" },
    { path: `/workspaces/${workspace}/x`, data: "" },
  ],
  "fs.mkdir": ({ pid }) => [{ path: `/proc/${pid}/x` }, { path: `/proc/${pid}/x/y`, parents: true }],
  "fs.rename": ({ pid }) => [{ from: `/proc/${pid}/status`, to: "~/x" }],
  "fs.link": ({ pid }) => [{ path: `/proc/${pid}/x`, target: "y" }],
  "fs.setattr": ({ pid }) => [{ path: `/proc/${pid}/status`, mode: "0600" }],
  "fs.remove": ({ pid }) => [{ path: `/proc/${pid}`, recursive: true }],
  "fs.search": ({ pid }) => [{ query: "State", path: `/proc/${pid}` }],
  "repo.create": ({ repo: name }) => [{ name }],
  "repo.refs": ({ repo }) => [{ repo }],
  "repo.read": ({ repo }) => [{ repo }, { repo, path: "a.md" }],
  "repo.search": ({ repo }) => [{ repo, query: "words" }],
  "repo.log": ({ repo }) => [{ repo }],
  "repo.show": ({ repo }) => [{ repo }],
  "repo.diff": ({ repo }) => [{ repo }],
  "repo.compare": ({ repo }) => [{ repo, base: "HEAD" }],
  "repo.restore": ({ repo }) => [{ repo, path: "a.md", ref: "HEAD" }],
  "repo.apply": ({ repo }) => [{ repo, message: "why", changes: { ops: [{ delete: "a.md" }] } }],
  "repo.import": ({ repo }) => [{ repo, remote: "https://127.0.0.1:1/x.git" }],
  "repo.sync": ({ repo }) => [{ repo, remote: "https://127.0.0.1:1/x.git" }],
  "repo.delete": ({ repo }) => [{ repo }],
};

/** Calls that name nobody's things; what they show is tried below. */
const NAMELESS = [
  "account.list",
  "ai.models",
  "ai.test",
  "audit.list",
  "group.list",
  "group.add",
  "group.mod",
  "group.rm",
  "sys.token.create",
  "sys.token.list",
  "proc.list",
  "archive.list",
  "repo.list",
  "workspace.list",
  "workspace.create",
  "sys.bootstrap",
  "fs.write",
  "fs.edit",
  "fs.delete",
  "fs.stage",
  "config.get",
  "config.list",
  "config.set",
  "config.unset",
  "config.apply",
  "storage.status",
  "storage.verify",
  "storage.gc",
  "storage.migrate",
  "shell.run",
  "shell.exec",
  "shell.output",
  "shell.input",
  "shell.signal",
  "shell.list",
  "shell.stop",
  "system.status",
  "system.start",
  "system.whoami",
  "sys.version",
  "sys.drain",
];

interface World {
  readonly home: TestKernel;
  readonly bob: Person;
  /** Everything of sam's: a task that waits for an approval, and an archive. */
  readonly sams: Things;
  readonly bobsTask: string;
}

async function world(): Promise<World> {
  const home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  const pid = await home.task({ label: "sam's own" });
  await home.say("private words", { pid });
  const { archiveId } = await home.sys.call<Closed>("proc.reset", { pid });
  home.model.will(pid, { text: "asking", calls: [{ name: "Delete", args: { path: "~/a" } }] });
  const { runId } = await home.send("delete a", { pid });
  await home.inState(pid, "waiting_hil");
  const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
  const { id: token } = await home.sys.call<{ id: string }>("sys.token.create", { label: "sam's" });
  const repo = "sam/plans";
  await home.sys.call("repo.create", { name: repo });
  const changes = { ops: [{ put: "a.md", content: "private words" }] };
  await home.sys.call("repo.apply", { repo, message: "first", changes });
  const { id: workspace } = await home.sys.call<{ id: string }>("workspace.create", { label: "sam's" });
  const sams = {
    pid,
    repo,
    workspace,
    account: "sam",
    token,
    run: runId,
    approval: asked?.id ?? "",
    archive: archiveId ?? "",
  };
  const { pid: bobsTask } = await bob.sys.call<{ pid: string }>("proc.spawn", { label: "bob's" });
  return { home, bob, sams, bobsTask };
}

async function outcome(sys: Sys, call: string, args: object): Promise<string> {
  const signal = AbortSignal.timeout(1000);
  try {
    await sys.call(call, args, { signal });
    return "answered";
  } catch (error) {
    const { code, message, hints } = error as SysError;
    return JSON.stringify([code, message, hints]);
  }
}

/** The same words about different things. */
function alike(text: string, things: Things): string {
  return Object.entries(things).reduce(
    (so, [name, value]) => so.replace(new RegExp(`(?<![a-z0-9])${RegExp.escape(value)}(?![a-z0-9])`, "g"), `<${name}>`),
    text,
  );
}

test("every call there is stands in one of the two lists", () => {
  expect([...Object.keys(NAMING), ...NAMELESS].sort()).toEqual([...SYSCALLS.keys()].sort());
});

test("what is somebody else's reads exactly like what does not exist, for people and for processes, and stays as it was", async () => {
  const { home, bob, sams, bobsTask } = await world();
  await using _ = home;
  const before = await home.sys.call<object>("proc.get", { pid: sams.pid });
  for (const [who, sys] of [
    ["bob", bob.sys],
    ["bob's process", await home.insideOf(bobsTask)],
  ] as const) {
    for (const [call, cases] of Object.entries(NAMING)) {
      const [theirs, absent] = [cases(sams), cases(ABSENT)];
      for (const [index, args] of theirs.entries()) {
        const seen = alike(await outcome(sys, call, args), sams);
        const nothing = alike(await outcome(sys, call, absent[index] ?? {}), ABSENT);
        expect(`${who} ${call} ${seen}`).toBe(`${who} ${call} ${nothing}`);
        expect(seen).not.toBe("answered");
      }
    }
  }
  expect(await home.sys.call<object>("proc.get", { pid: sams.pid })).toEqual(before);
});

test("lists show what is one's own: processes, approvals, archives and files of /proc", async () => {
  const { home, bob, sams, bobsTask } = await world();
  await using _ = home;
  for (const sys of [bob.sys, await home.insideOf(bobsTask)]) {
    const { processes } = await sys.call<{ processes: ProcessInfo[] }>("proc.list", {});
    expect(processes.map(({ pid }) => pid).sort()).toEqual([bob.init, bobsTask].sort());
    expect(await sys.call<object>("hil.list", {})).toMatchObject({ approvals: [] });
    expect(await sys.call<object>("archive.list", {})).toMatchObject({ archives: [] });
    expect(await sys.call<object>("archive.list", { pid: sams.pid })).toMatchObject({ archives: [] });
    const found = await sys.call<{ matches: { path: string }[] }>("fs.search", { query: "Pid:", path: "/proc" });
    expect(JSON.stringify(found.matches)).not.toContain(sams.pid);
  }
});

test("asking for another account's list is refused with the reason, whether that account exists or not", async () => {
  const { home, bob, bobsTask } = await world();
  await using _ = home;
  for (const uid of [0, 1000, 4711]) {
    for (const sys of [bob.sys, await home.insideOf(bobsTask)]) {
      const refused = await home.refusal("proc.list", { uid }, sys);
      expect([refused.code, refused.message]).toEqual(["EPERM", `only root may list the processes of uid ${uid}`]);
    }
  }
  expect(await bob.sys.call<object>("proc.list", { uid: bob.uid })).toMatchObject({ processes: [{}, {}] });
});

test("nobody hears the signals of somebody else's process, however they ask for them", async () => {
  const { home, bob, sams } = await world();
  await using _ = home;
  const heard: Signal[] = [];
  for (const filter of [{}, { pid: sams.pid }, { run: sams.run }, { names: ["chat.*", "process.*"] }]) {
    bob.sys.on(filter, (signal) => heard.push(signal));
  }
  const before = home.signals.length;
  await home.sys.call("hil.answer", { id: sams.approval, decision: "deny" });
  await home.ended(sams.run);
  await home.sys.call("proc.kill", { pid: sams.pid });
  expect(home.signals.length).toBeGreaterThan(before + 5);
  expect(heard).toEqual([]);
});

test("the owner and the owner's processes see the owner's things, and so does root everyone's", async () => {
  const { home, sams } = await world();
  await using _ = home;
  const inside = await home.insideOf(sams.pid);
  for (const sys of [home.sys, inside, home.person(0)]) {
    expect(await sys.call<object>("proc.get", { pid: sams.pid })).toMatchObject({ label: "sam's own", owner: "sam" });
    expect(await sys.call<object>("hil.list", {})).toMatchObject({ approvals: [{ id: sams.approval }] });
    const { archives } = await sys.call<{ archives: ArchiveInfo[] }>("archive.list", {});
    expect(archives.map(({ id }) => id)).toEqual([sams.archive]);
  }
  const all = await home.person(0).call<{ processes: ProcessInfo[] }>("proc.list", {});
  expect(new Set(all.processes.map(({ owner }) => owner))).toEqual(new Set(["sam", "bob"]));
  const bobs = await home.person(0).call<{ processes: ProcessInfo[] }>("proc.list", { uid: 2000 });
  expect(bobs.processes.map(({ owner }) => owner)).toEqual(["bob", "bob"]);
});

test("a home and an archive on disk are their owner's: others can neither read nor change nor list them", async () => {
  const { home, bob, bobsTask } = await world();
  await using _ = home;
  await home.sys.call("fs.write", { path: "~/diary.md", content: "private" });
  const tries: [string, object][] = [
    ["fs.read", { path: "/home/sam/diary.md" }],
    ["fs.read", { path: "/home/sam" }],
    ["fs.write", { path: "/home/sam/diary.md", content: "mine" }],
    ["fs.edit", { path: "/home/sam/diary.md", oldString: "private", newString: "mine" }],
    ["fs.delete", { path: "/home/sam/diary.md" }],
    ["fs.read", { path: "/home/../home/sam/./diary.md" }],
    ["fs.read", { path: "~sam/diary.md" }],
    ["fs.read", { path: "/var/sessions/sam" }],
  ];
  for (const sys of [bob.sys, await home.insideOf(bobsTask)]) {
    for (const [call, args] of tries) {
      const refused = await home.refusal(call, args, sys);
      expect(`${call} ${JSON.stringify(args)} ${refused.code}`).toBe(`${call} ${JSON.stringify(args)} EACCES`);
    }
    expect(await sys.call<object>("fs.search", { query: "private", path: "/home" })).toMatchObject({ matches: [] });
  }
  expect(await home.sys.call<object>("fs.read", { path: "~/diary.md" })).toMatchObject({
    content: expect.stringContaining("private"),
  });
});
