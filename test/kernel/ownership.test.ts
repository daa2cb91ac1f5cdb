// Other accounts' processes, approvals and archives look as if they did not exist, in every call, for people and processes. Only the owner
// and root see them.

import { expect, test } from "bun:test";
import type { SysError } from "../../src/abi/errno.ts";
import type { Approval, ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import { TestKernel } from "../support/kernel.ts";
import { ABSENT, NAMING, type Things } from "../support/naming.ts";
import { addHuman, type Person } from "../support/people.ts";

interface World {
  readonly home: TestKernel;
  readonly bob: Person;
  /** Sam's things: a task that waits for an approval, and an archive. */
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
  await home.sys.call("agent.create", { name: "sams-scout" });
  await home.sys.call("bundle.create", { name: "sams-bundle" });
  await home.sys.call("project.create", { name: "sams-project" });
  await home.sys.call("sched.add", { when: "every 1h", text: "private words", name: "sams-schedule" });
  const watch = "bobs-watch";
  await home.sys.call("signal.watch", { signal: "chat.complete", notify: "private words", key: watch });
  const { id: notification } = await home.sys.call<{ id: string }>("notify.send", { title: "private words" });
  const opened = await home.sys.call<{ key: string }>("session.open", { key: "agent:main:cli:dm:alice" });
  const { id: session } = await home.sys.call<{ id: string }>("session.get", { key: opened.key });
  const script = "0190a1b2-0000-7000-8000-000000000006";
  await home.sys.call("shell.run", { id: script, script: "echo private words" });
  const sams = {
    session,
    script,
    schedule: "sams-schedule",
    notification,
    watch,
    ...{ agent: "sams-scout", bundle: "sams-bundle", project: "sams-project" },
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

/** The same calls about different things. */
function alike(text: string, things: Things): string {
  return Object.entries(things).reduce(
    (so, [name, value]) => so.replace(new RegExp(`(?<![a-z0-9])${RegExp.escape(value)}(?![a-z0-9])`, "g"), `<${name}>`),
    text,
  );
}

test("another account's things read like missing ones, for people and processes, and stay unchanged", async () => {
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

test("lists show only your own processes, approvals, archives and /proc files", async () => {
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

test("a request for another account's list is refused with the reason, whether or not that account exists", async () => {
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

test("a subscriber gets no signals of another account's process, however it asks", async () => {
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

test("the owner and the owner's processes see the owner's things, and root sees everything", async () => {
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

test("only the owner can read, change or list a home and an archive on disk", async () => {
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
