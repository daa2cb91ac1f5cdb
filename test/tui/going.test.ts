// From process to process: the switcher, attach and looking only, lists from which one chooses, pages, and what was said by others meanwhile.

import { expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { missedText } from "../../tui/talk/missed.ts";
import { OTHER_RUN, PID, RUN, said } from "../support/chat.ts";
import { Played, type PlayOptions, processInfo } from "../support/played.ts";

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

test("ctrl-p lists processes, the most recent first; typing narrows, enter goes there, escape stays", async () => {
  const played = await open();
  await played.type("half typed\x10");
  await played.until(/3 {2}init:1000 +S {2}personal +here/);
  expect(played.text()).toMatch(/› 1 {2}task:aaaaaa {2}R {2}docs audit {2}answers\n {2}2 {2}task:bbbbbb/);
  await played.type("dead");
  expect(played.text()).toContain("› 2  task:bbbbbb");
  expect(played.text()).not.toContain("docs audit");
  await played.type("\x1b");
  await played.settle(50);
  expect(played.text()).toContain("› half typed");
  expect(played.text()).not.toContain("go to process");
  await played.type("\x10dead\r");
  await played.until(/now talking to task:bbbbbb/);
  expect(played.text()).toContain("› half typed");
});

test("of one that works in a directory of this machine it is said which", async () => {
  const played = await open({
    prepare: ({ fakeSys }) => {
      fakeSys.answer("proc.get", ({ pid }: { pid: string }) => processInfo({ pid, workspaceId: "dir_aaaaaa" }));
      fakeSys.answer("workspace.get", ({ id }: { id: string }) => ({ id, directory: "/srv/shop\u202e" }));
    },
  });
  await played.type("/attach task:aaaaaa\r");
  await played.until(/^now talking to task:aaaaaa · works in \/srv\/shop⟨U\+202E⟩$/m);
});

test("alt and a number goes to the process with that number in the list", async () => {
  const played = await open();
  await played.type("\x1b1");
  await played.until(/now talking to task:aaaaaa/);
  await played.type("\x1b3");
  await played.until(/now talking to init:1000/);
});

test("who comes back is told of the others; who only went from one to another is not", async () => {
  const kept = new Map([
    [PID, { seq: 0, at: 15 }],
    ["task:bbbbbb", { seq: 0, at: 15 }],
  ]);
  const played = await open({ seen: { of: (pid) => kept.get(pid) ?? null, keep: () => {}, left: () => 25 } });
  await played.until(/^while you were away \(.*\): task:aaaaaa is at work$/m);
  // It was done while somebody was here, and talked to another.
  expect(played.text()).not.toContain("task:bbbbbb done");
  await played.type("/clear\r/attach task:bbbbbb\r");
  await played.until(/now talking to task:bbbbbb/);
  await played.settle(200);
  expect(played.text()).not.toContain("is at work");
});

test("what a process says while one turns to it is on the screen, all of it and once", async () => {
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
  const of = <Told extends Signal>(signal: Told): Told => ({ ...signal, pid });
  await played.type(`/attach ${pid}\r`);
  await played.play(
    of(said.start({ seq: 1 })),
    of(said.delta("The first.")),
    of(said.text("The first.", { seq: 2 })),
    of(said.delta("The second.", { turn: 2 })),
    of(said.text("The second.", { seq: 3, turn: 2 })),
  );
  looked.resolve();
  await played.until(/now talking to task:aaaaaa/);
  await played.play(of(said.text("The third.", { seq: 4, turn: 3 })));
  const text = played.text();
  for (const once of ["› look", "The first.", "The second.", "The third."]) expect(text.split(once)).toHaveLength(2);
  expect(text.indexOf("The first.")).toBeLessThan(text.indexOf("The second."));
});

test("attach with --read-only looks and says nothing, stops nothing and answers nothing", async () => {
  const played = await open();
  await played.type("attach task:aaaaaa --read-only\r");
  await played.until(/only looking/);
  await played.play(said.start({ pid: "task:aaaaaa" }), said.hil({ pid: "task:aaaaaa" }));
  await played.settle(500);
  await played.type("y\x7f");
  await played.type("\x1b");
  await played.settle(50);
  await played.type("hello you\r");
  expect(played.text()).toContain("only looking: /attach PID talks");
  expect(played.text()).toContain("› hello you");
  const { fakeSys } = played.io;
  for (const name of ["proc.send", "proc.abort", "hil.answer"]) expect(fakeSys.asked(name)).toEqual([]);
});

test("a theme is chosen by name or from a list, kept as a setting, and used from then on", async () => {
  const played = await open({ prepare: (io) => io.fakeSys.answer("config.set", () => ({})) });
  await played.type("/theme light\r");
  await played.until(() => played.io.fakeSys.asked("config.set").length === 1);
  expect(played.io.fakeSys.asked("config.set")).toEqual([{ key: "terminal.theme", value: "light" }]);
  await played.play(said.start(), said.text("hm"), said.complete("error", null, { error: "no luck" }));
  await played.type("/theme\r");
  await played.until(/colours/);
  expect(played.text()).toMatch(/light {2}the darker of them, for a light ground +now/);
  await played.type("none\r");
  await played.until(() => played.io.fakeSys.asked("config.set").length === 2);
  played.writes.length = 0;
  await played.type("ls /x");
  expect(played.writes.join("")).not.toMatch(/\x1b\[[39][1-6]m/);
});

test("a model is chosen from those there are, and the line that sets it is one of the shell", async () => {
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

test("what waits is listed, and the one that is chosen stands as the card that is answered", async () => {
  const played = await open();
  await played.type("/approvals\r");
  await played.until(/nothing waits for you/);
  await played.play(said.hil(), said.hil({ id: "m4m4", pid: "task:aaaaaa", args: { path: "~/second" } }));
  await played.type("/approvals\r");
  await played.until(/waits for you/);
  await played.type("second\r");
  await played.until(/task:aaaaaa wants Delete ~\/second/);
});

test("a long text to read is paged; what is kept of it is the line, and q returns to where one was", async () => {
  const played = await open();
  await played.type("/man processes\r");
  await played.until(/^man processes {2}1-\d+ of \d+/m);
  await played.type("G");
  await played.until(/ end /);
  await played.type("q");
  await played.until(/^› *$/m);
  expect(played.text()).toContain("$ man processes");
});

test("what the keys do stands above the line, or is paged where there is no room", async () => {
  const played = await open({ columns: 60, rows: 16 });
  await played.type("?");
  await played.until(/^keys {2}1-15 of/m);
  await played.type("q");
  await played.resize(120, 40);
  await played.type("?");
  await played.until(/\/go +another process/);
  expect(played.text()).toMatch(/^›/m);
});

test("what was said at another terminal stands before its answer, what was said here stands once", async () => {
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

test("what was missed is told in one line, and nothing where nothing was", () => {
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
    "while you were away (2h01): 1 answer, 2 tool calls, 1 failed; task:aaaaaa is at work, task:bbbbbb done",
  );
  expect(missedText({ ...away, messages: [], processes: [processInfo()] })).toBeNull();
  // Whoever only talked to another process has heard of the others.
  expect(missedText({ ...away, left: null, processes: null })).toBe(
    "since you talked to it (2h01): 1 answer, 2 tool calls, 1 failed",
  );
  expect(missedText({ ...away, left: null, messages: [], processes: null })).toBeNull();
  // What was on the screen before somebody left was not missed, whatever its number.
  const left = { ...away, since: { seq: 4, at: 60_000 }, left: 60_000, processes: [processInfo()] };
  expect(missedText(left)).toBeNull();
  const after = { ...message, id: 8, timestamp: 60_001, role: "assistant", content: { text: "done" } } as const;
  expect(missedText({ ...left, messages: [...left.messages, after] })).toBe("while you were away (2h00): 1 answer");
});

test("strace is a view that goes on by itself, says that its process has ended, and leaves the transcript as it was", async () => {
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
  await played.until(/it has ended/);
  await played.type("q");
  await played.until(/how do I stop a process/);
});

test("every command is one after a slash too, nouns among them; a path stays a path", async () => {
  const played = await open({
    prepare: ({ fakeSys }) => fakeSys.answer("archive.list", () => ({ archives: [], next: null })),
  });
  await played.type("/archive list\r");
  await played.until(/^\$ archive list$/m);
  expect(played.io.fakeSys.asked("archive.list")).toHaveLength(1);
  await played.type("/proc");
  expect(played.text()).toMatch(/^\$ \/proc$/m);
});
