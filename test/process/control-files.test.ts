// /proc/PID/ctl and note in a whole kernel: each write acts once, as the writer, with the rights of the writer's calls.

import { expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";

const write = (path: string, content: string) => ["fs.write", { path, content }] as const;

test("a verb in ctl stops a process, resumes it, resets it and ends it", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  const tell = (word: string) => home.sys.call(...write(`/proc/${pid}/ctl`, `${word}\n`));
  await home.say("one", { pid });
  await tell("stop");
  expect((await home.get(pid)).state).toBe("stopped");
  await tell("cont");
  expect((await home.get(pid)).state).toBe("idle");
  await tell("label docs audit, again");
  expect((await home.get(pid)).label).toBe("docs audit, again");
  await home.say("two", { pid });
  home.model.will(pid, { text: "## Task\nCount." });
  await tell("compact keep=1");
  expect((await home.messages(pid)).at(-1)?.content).toStartWith("[compacted] Messages up to 3 ");
  await tell("reset");
  expect(await home.messages(pid)).toEqual([]);
  await tell("kill");
  expect((await home.refusal("proc.get", { pid })).code).toBe("ESRCH");
});

test("an unknown verb is refused with the list of verbs, and nothing happens", async () => {
  await using home = await TestKernel.boot();
  for (const word of ["\n", "KILL", "stop cont", "stop\nkill", "label", "budget", "model x", "stop now"]) {
    const refused = await home.refusal(...write(`/proc/${INIT}/ctl`, word));
    expect([word, refused.code]).toEqual([word, "EINVAL"]);
    expect(refused.message).toContain(
      "takes one of: stop, cont, abort, reset, kill, budget BUDGET, compact [keep=N], label TEXT",
    );
  }
  expect((await home.get(INIT)).state).toBe("idle");
});

test("a note is a message to the process, once per write, however often the request is repeated", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  for (const requestId of ["r1", "r1", "r2"])
    await home.sys.call(...write(`/proc/${pid}/note`, "look at the tests first\n"), { requestId });
  await home.until("both notes are answered", async () => (await home.outline(pid)).length >= 3);
  const said = (await home.messages(pid)).filter(({ role }) => role === "user").map(({ content }) => content);
  expect(said).toEqual(["look at the tests first", "look at the tests first"]);
  expect((await home.refusal(...write(`/proc/${pid}/note`, "\n"))).code).toBe("EINVAL");
});

test("no account controls another's process through a file, and an init cannot be killed through one", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  for (const file of ["ctl", "note"]) {
    const [others, none] = [
      await home.refusal(...write(`/proc/${INIT}/${file}`, "stop"), bob.sys),
      await home.refusal(...write(`/proc/init:4000/${file}`, "stop"), bob.sys),
    ];
    expect([others.code, others.message.replace(INIT, "init:4000")]).toEqual([none.code, none.message]);
  }
  expect(await home.outline(INIT)).toEqual([]);
  const [asCall, asFile] = [
    await home.refusal("proc.kill", { pid: INIT }),
    await home.refusal(...write("/proc/self/ctl", "kill")),
  ];
  expect([asFile.code, asFile.message]).toEqual([asCall.code, asCall.message]);
});

test("a process that lacks a capability lacks it through files too, and its log shows the attempt", async () => {
  await using home = await TestKernel.boot();
  const victim = await home.task();
  const pid = await home.task({ drop: "proc.signal,proc.kill,proc.send" });
  const inside = await home.insideOf(pid, { approved: true });
  for (const [file, text] of [
    ["ctl", "stop"],
    ["ctl", "kill"],
    ["note", "do as I say"],
  ] as const) {
    const refused = await home.refusal(...write(`/proc/${victim}/${file}`, text), inside);
    expect([text, refused.code]).toEqual([text, "EPERM"]);
  }
  expect(await home.outline(victim)).toEqual([]);
  const free = await home.insideOf(await home.task(), { approved: true });
  await free.call(...write(`/proc/${victim}/ctl`, "stop"));
  expect((await home.get(victim)).state).toBe("stopped");
  const { rows } = await home.sys.call<{ rows: { call: string; outcome: string }[] }>("proc.trace", { pid });
  expect(rows.map(({ call, outcome }) => `${call} ${outcome}`)).toContain("proc.kill EPERM");
});

test("an agent's write to ctl or note needs the approval of the call, and does the shown action once approved", async () => {
  await using home = await TestKernel.boot();
  const victim = await home.task({ label: "kept" });
  const actor = await home.task();
  const asks = async (name: string, args: object) => {
    home.model.will(actor, { calls: [{ name, args }] });
    const { runId } = await home.send("go", { pid: actor });
    await home.until("it asks or ends", async () => /^(?:waiting_hil|idle)$/.test((await home.get(actor)).state));
    const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
    return { asked, runId };
  };
  const tried: readonly (readonly [string, string])[] = [
    ["ctl", "kill"],
    ["ctl", "reset"],
    ["ctl", "label mine"],
    ["note", "do as I say"],
  ];
  for (const [file, content] of tried) {
    const { asked, runId } = await asks("Write", { path: `/proc/${victim}/${file}`, content });
    expect(asked?.why).toBe(`write /proc/${victim}/${file}`);
    await home.sys.call("hil.answer", { id: asked?.id, decision: "deny" });
    await home.ended(runId);
  }
  const self = await asks("Write", { path: "/proc/self/ctl", content: "reset" });
  expect(self.asked?.why).toBe(`write /proc/${actor}/ctl`);
  await home.sys.call("hil.answer", { id: self.asked?.id, decision: "deny" });
  await home.ended(self.runId);
  expect([(await home.get(victim)).label, await home.outline(victim)]).toEqual(["kept", []]);

  const { asked, runId } = await asks("Write", { path: `/proc/${victim}/note`, content: "look at the tests" });
  await home.sys.call("hil.answer", { id: asked?.id, decision: "approve" });
  await home.ended(runId);
  await home.until("the note has arrived", async () => (await home.messages(victim)).length > 0);
  expect((await home.messages(victim))[0]?.origin).toMatchObject({ kind: "process", pid: actor });
});

test("neither an unapproved script nor a process's call reaches another process through its files", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  const victim = await home.task({ label: "kept" });
  const actor = await home.task();
  const command = `cd /proc/${victim}; echo label mine > ctl; echo stop | tee ctl; echo hello > note; fs write /proc/${victim}/ctl stop`;
  home.model.will(actor, { calls: [{ name: "Shell", args: { command } }] });
  await home.say("go", { pid: actor });
  const told = JSON.stringify(await home.messages(actor));
  expect(told.match(/needs the user's approval/g)).toHaveLength(4);
  expect(told).toContain("bash: ctl: a change needs the user's approval: use the tool");
  expect(told).toContain("tee: ctl: a change needs the user's approval");
  const inside = await home.insideOf(actor);
  for (const [file, text] of [
    ["ctl", "stop"],
    ["note", "hello"],
  ] as const)
    expect((await home.refusal(...write(`/proc/${victim}/${file}`, text), inside)).code).toBe("EPERM");
  const elsewhere = await home.insideOf(actor, { allowed: `/proc/${INIT}/ctl` });
  expect((await home.refusal(...write(`/proc/${victim}/ctl`, "stop"), elsewhere)).code).toBe("EPERM");
  const { state, label } = await home.get(victim);
  expect([state, label, await home.outline(victim)]).toEqual(["idle", "kept", []]);
});
