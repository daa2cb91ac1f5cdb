// From process to process: the switcher, attach, read-only, lists, pages, and messages of other clients.

import { expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { missedText } from "../../tui/talk/missed.ts";
import { OTHER_RUN, PID, RUN, said } from "../support/chat.ts";
import { Played, type PlayOptions } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

const FAMILY: readonly ProcessInfo[] = [
  processInfo({ label: "personal", lastActiveAt: 10 }),
  processInfo({ pid: "task:aaaaaa", label: "docs audit", lastActiveAt: 30, state: "running" }),
  processInfo({ pid: "task:bbbbbb", label: "dead links", lastActiveAt: 20, parentPid: "task:aaaaaa" }),
];

function open(options: PlayOptions = {}): Promise<Played> {
  const prepare = (io: Played["io"]) => {
    io.fakeSys.answer("proc.list", () => ({ processes: FAMILY, next: null }));
    options.prepare?.(io);
  };
  return Played.open({ ...options, prepare });
}

test("ctrl-p lists processes, the most recent first; typing narrows, enter switches, escape stays", async () => {
  const played = await open();
  await played.type("half typed\x10");
  await played.until(/3 {2}init:1000 +S {2}personal +here/);
  expect(played.text()).toMatch(/› 1 {2}task:aaaaaa {2}R {2}docs audit {2}running\n {2}2 {2}task:bbbbbb/);
  await played.type("dead");
  expect(played.text()).toContain("› 2  task:bbbbbb");
  expect(played.text()).not.toContain("docs audit");
  await played.type("\x1b");
  await played.settle(50);
  expect(played.text()).toContain("› half typed");
  expect(played.text()).not.toContain("switch to process");
  await played.type("\x10dead\r");
  await played.until(/Switched to task:bbbbbb/);
  expect(played.text()).toContain("› half typed");
});

test("attaching names the host directory of the process", async () => {
  const played = await open({
    prepare: ({ fakeSys }) => {
      fakeSys.answer("proc.get", ({ pid }: { pid: string }) => processInfo({ pid, workspaceId: "dir_aaaaaa" }));
      fakeSys.answer("workspace.get", ({ id }: { id: string }) => ({ id, directory: "/srv/shop\u202e" }));
    },
  });
  await played.type("/attach task:aaaaaa\r");
  await played.until(/^Switched to task:aaaaaa · \/srv\/shop⟨U\+202E⟩$/m);
});

test("alt and a number switches to the process with that number in the list", async () => {
  const played = await open();
  await played.type("\x1b1");
  await played.until(/Switched to task:aaaaaa/);
  await played.type("\x1b3");
  await played.until(/Switched to init:1000/);
});

test("a return names what other processes did; switching between processes does not", async () => {
  const kept = new Map([
    [PID, { seq: 0, at: 15 }],
    ["task:bbbbbb", { seq: 0, at: 15 }],
  ]);
  const played = await open({ seen: { of: (pid) => kept.get(pid) ?? null, keep: () => {}, left: () => 25 } });
  await played.until(/^While you were away \(.*\): "docs audit" is working$/m);
  // It ended while the person was at another process.
  expect(played.text()).not.toContain('dead links" done');
  await played.type("/clear\r/attach task:bbbbbb\r");
  await played.until(/Switched to task:bbbbbb/);
  await played.settle(200);
  expect(played.text()).not.toContain("is working");
});

test("messages that come while attaching are shown, all and once", async () => {
  const pid = "task:aaaaaa";
  const looked = Promise.withResolvers<void>();
  const message = (id: number, more: object) => ({ id, runId: RUN, timestamp: id, ...more });
  const played = await open({
    prepare: ({ fakeSys }) =>
      fakeSys.answer("proc.history", async (asked: { pid: string }) => {
        if (asked.pid !== pid) return { pid: asked.pid, messages: [], inPart: [], messageCount: 0 };
        await looked.promise;
        const messages = [
          message(1, { role: "user", content: "look" }),
          message(2, { role: "assistant", content: { text: "The first." } }),
        ];
        return { pid, messages, inPart: [], messageCount: 2, hasMoreBefore: false, hasMoreAfter: false };
      }),
  });
  const of = <Sent extends Signal>(signal: Sent): Sent => ({ ...signal, pid });
  await played.type(`/attach ${pid}\r`);
  await played.play(
    of(said.start({ seq: 1 })),
    of(said.delta("The first.")),
    of(said.text("The first.", { seq: 2 })),
    of(said.delta("The second.", { turn: 2 })),
    of(said.text("The second.", { seq: 3, turn: 2 })),
  );
  looked.resolve();
  await played.until(/Switched to task:aaaaaa/);
  await played.play(of(said.text("The third.", { seq: 4, turn: 3 })));
  const text = played.text();
  for (const once of ["› look", "The first.", "The second.", "The third."]) expect(text.split(once)).toHaveLength(2);
  expect(text.indexOf("The first.")).toBeLessThan(text.indexOf("The second."));
});

test("attach --read-only sends, stops and answers nothing", async () => {
  const played = await open();
  await played.type("attach task:aaaaaa --read-only\r");
  await played.until(/read-only/);
  await played.play(said.start({ pid: "task:aaaaaa" }), said.hil({ pid: "task:aaaaaa" }));
  await played.settle(500);
  await played.type("y\x7f");
  await played.type("\x1b");
  await played.settle(50);
  await played.type("hello you\r");
  expect(played.text()).toContain("read-only: /attach PID to talk");
  expect(played.text()).toContain("› hello you");
  const { fakeSys } = played.io;
  for (const name of ["proc.send", "proc.abort", "hil.answer"]) expect(fakeSys.asked(name)).toEqual([]);
});

test("a theme is chosen by name or from a list, stored as a setting, and used at once", async () => {
  const played = await open({ prepare: (io) => io.fakeSys.answer("config.set", () => ({})) });
  await played.type("/theme light\r");
  await played.until(() => played.io.fakeSys.asked("config.set").length === 1);
  expect(played.io.fakeSys.asked("config.set")).toEqual([{ key: "terminal.theme", value: "light" }]);
  await played.play(said.start(), said.text("hm"), said.complete("error", null, { error: "no luck" }));
  await played.type("/theme\r");
  await played.until(/background/);
  expect(played.text()).toMatch(/light {2}dark colours for a light background +now/);
  await played.type("none\r");
  await played.until(() => played.io.fakeSys.asked("config.set").length === 2);
  played.writes.length = 0;
  await played.type("ls /x");
  expect(played.writes.join("")).not.toMatch(/\x1b\[[39][1-6]m/);
});

test("a model is chosen from a list, and a line of the shell sets it", async () => {
  const model = { provider: "openai", windowTokens: 128_000, inputUsd: 1, outputUsd: 2, aliases: ["big"] };
  const played = await open({
    prepare: ({ fakeSys }) => {
      fakeSys.answer("ai.models", () => ({
        models: [
          { model: "offline", ...model },
          { model: "openai/gpt-x", ...model },
        ],
        notes: [],
      }));
      fakeSys.answer("proc.model", ({ model: set }: { model?: string }) => ({
        pid: PID,
        model: set ?? null,
        answers: set ?? "offline",
      }));
    },
  });
  await played.type("/model\r");
  await played.until(/openai\/gpt-x {2}128k {2}\$1 in, \$2 out/);
  await played.type("gpt\r");
  await played.until(/\$ model init:1000 openai\/gpt-x/);
  const set = { pid: PID, model: "openai/gpt-x" };
  await played.until(() => played.io.fakeSys.asked("proc.model").some((asked) => Bun.deepEquals(asked, set)));
});

test("pending approvals are listed, and the chosen one becomes the card", async () => {
  const played = await open();
  await played.type("/approvals\r");
  await played.until(/No pending approvals/);
  await played.play(said.hil(), said.hil({ id: "m4m4", pid: "task:aaaaaa", args: { path: "~/second" } }));
  await played.type("/approvals\r");
  await played.until(/pending approvals/);
  await played.type("second\r");
  await played.until(/"docs audit" wants to delete ~\/second/);
});

test("a long text opens in the pager, and q returns to the transcript with the line", async () => {
  const played = await open();
  await played.type("/man processes\r");
  await played.until(/^man processes {2}1-\d+ of \d+/m);
  await played.type("G");
  await played.until(/ end /);
  await played.type("q");
  await played.until(/^› *$/m);
  expect(played.text()).toContain("$ man processes");
});

test("the list of keys stands above the line, or in the pager if it does not fit", async () => {
  const played = await open({ columns: 60, rows: 12 });
  await played.type("?");
  await played.until(/^keys {2}1-11 of/m);
  await played.type("q");
  await played.resize(120, 40);
  await played.type("?");
  await played.until(/\/go +switch to another process/);
  expect(played.text()).toMatch(/^›/m);
});

test("messages of another terminal stand before their answers, own messages stand once", async () => {
  const other = { id: 3, runId: "r-other", timestamp: 0, role: "user", content: "from elsewhere" };
  const own = {
    id: 1,
    runId: "0190a1b2-0000-7000-8000-000000000001",
    timestamp: 0,
    role: "user",
    content: "from here",
  };
  const played = await open({
    prepare: ({ fakeSys }) =>
      fakeSys.answer("proc.history", ({ afterSeq }: { afterSeq?: number }) => {
        const messages = afterSeq === undefined ? [] : [own, other].filter(({ id }) => id > afterSeq);
        return { pid: PID, messages, messageCount: 0, inPart: [], hasMoreBefore: false, hasMoreAfter: false };
      }),
  });
  await played.type("from here\r");
  await played.play(said.start({ seq: 1 }), said.text("first answer", { seq: 2 }), said.complete("ok"));
  await played.play(said.start({ seq: 3, run: OTHER_RUN }), said.text("second answer", { seq: 4 }));
  const lines = played.everything().filter((line) => /^› from|^ {2}\w+ answer$/.test(line));
  expect(lines.map((line) => line.trim())).toEqual([
    "› from here",
    "first answer",
    "› from elsewhere",
    "second answer",
  ]);
});

test("one line sums up what was missed, if anything was", () => {
  const message = { runId: null, timestamp: 1 } as const;
  const result = { ...message, role: "toolResult" } as const;
  const content = { toolName: "Read", toolCallId: "c", isError: false, outcome: "completed", output: "" } as const;
  const away = {
    ...{ pid: PID, since: { seq: 4, at: 0 }, left: 0, now: 7_260_000, hasMore: false },
    messages: [
      { ...message, id: 5, role: "assistant", content: { text: "done" } },
      { ...result, id: 6, content },
      { ...result, id: 7, content: { ...content, isError: true, outcome: "failed" } },
    ],
    processes: FAMILY,
  } as const;
  expect(missedText(away)).toBe(
    'While you were away (2h01): 1 answer, 2 tool calls, 1 failed · "docs audit" is working, "dead links" done',
  );
  expect(missedText({ ...away, messages: [], processes: [processInfo()] })).toBeNull();
  // The person was here and has seen the others.
  expect(missedText({ ...away, left: null, processes: null })).toBe(
    "Since you last talked to it (2h01): 1 answer, 2 tool calls, 1 failed",
  );
  expect(missedText({ ...away, left: null, messages: [], processes: null })).toBeNull();
  // Messages from before the person left were not missed.
  const left = { ...away, since: { seq: 4, at: 60_000 }, left: 60_000, processes: [processInfo()] };
  expect(missedText(left)).toBeNull();
  const after = { ...message, id: 8, timestamp: 60_001, role: "assistant", content: { text: "done" } } as const;
  expect(missedText({ ...left, messages: [...left.messages, after] })).toBe("While you were away (2h00): 1 answer");
});

test("strace follows calls, says when its process ends, and leaves the transcript unchanged", async () => {
  const rows = [{ id: 1, at: 0, call: "fs.read", args: '{"path":"~/a.md"}', outcome: "ok", ms: 1 }];
  let next = Promise.withResolvers<object>();
  const played = await open({
    prepare: ({ fakeSys }) =>
      fakeSys.answer("proc.trace", ({ after }: { after?: number }) => (after === undefined ? { rows } : next.promise)),
  });
  await played.type("/strace task:aaaaaa\r");
  await played.until(/^strace task:aaaaaa.*1 call/m);
  const { resolve } = next;
  next = Promise.withResolvers();
  resolve({ rows: [{ ...rows[0], id: 2, call: "shell.exec", args: '{"command":"bun test"}', outcome: "EPERM" }] });
  await played.until(/shell\.exec +bun test +EPERM/);
  expect(played.text()).toMatch(/following +2 calls · 1 failed/);
  next.reject(new SysError("ESRCH", "no such process"));
  await played.until(/ended/);
  await played.type("q");
  await played.until(/how do I stop a process/);
});

test("every gsv command works after a slash; a path stays a path", async () => {
  const played = await open({
    prepare: ({ fakeSys }) => fakeSys.answer("archive.list", () => ({ archives: [], next: null })),
  });
  await played.type("/archive list\r");
  await played.until(/^\$ archive list$/m);
  expect(played.io.fakeSys.asked("archive.list")).toHaveLength(1);
  await played.type("/proc");
  expect(played.text()).toMatch(/^\$ \/proc$/m);
});

test("esc stops the run and does not give back a message that is queued and will be sent", async () => {
  const played = await open();
  await played.type(", first\r");
  await played.type(", second\r");
  await played.until(/queued: second/);
  await played.type("\x1b");
  await played.settle(50);
  expect(played.text()).toMatch(/^›$/m);
});
