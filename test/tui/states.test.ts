// The activity line: each state of a process, played by a scripted kernel.

import { describe, expect, test } from "bun:test";
import type { State as ProcessState, WaitsFor } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { PID, RUN, said } from "../support/chat.ts";
import { Played, type PlayOptions } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

const MODEL = "anthropic/claude-fable-5";
const WINDOW = { windowTokens: 200_000, compactsAtTokens: 180_000 };

async function played(options: PlayOptions & { readonly tokens?: number } = {}): Promise<Played> {
  const { tokens = 46_000 } = options;
  return await Played.open({
    ...options,
    prepare: ({ fakeSys }) => {
      fakeSys.answer("proc.history.policy", () => ({ context: { tokens, ...WINDOW } }));
      fakeSys.answer("proc.model", () => ({ answers: MODEL }));
    },
  });
}

async function asked(played: Played): Promise<void> {
  await played.type("why?\r");
  await played.play(said.start({ model: MODEL }));
}

/** The rows between the transcript and the prompt. */
function dock(played: Played): readonly string[] {
  const rows = played.text().split("\n");
  const from = rows.lastIndexOf("");
  return rows.slice(from + 1).map((row) => row.replace(/^[\u2800-\u28ff] /, "* "));
}

test("thinking and writing show time and tokens; finished thinking is one line that ctrl-o expands", async () => {
  const shell = await played();
  await asked(shell);
  await shell.play(said.delta("let me see", { kind: "thinking" }));
  await shell.settle(4100);
  expect(dock(shell)[0]).toBe("* thinking  4 s · esc stop");
  await shell.play(said.delta("Two settings cause it. Compaction keeps"));
  expect(shell.text()).toContain("  thought for 4.1 s · ctrl-o expand");
  expect(shell.text()).not.toContain("let me see");
  await shell.settle(2100);
  expect(dock(shell)[0]).toBe("* writing  6 s · 13 tok · esc stop");
  await shell.type("\x0f");
  await shell.until(/let me see/);
  await shell.leave();
});

test("a command with an exit status other than zero is shown as failed, with its last lines", async () => {
  const shell = await played();
  await asked(shell);
  await shell.play(said.call("Shell", { command: "bun test" }));
  const printed = ["one", "two", "1 of 48 failed", "(exit status 1; gsv has no such program)"].join("\n");
  await shell.play({ ...said.result(true, printed), tool: "Shell" } as Signal);
  expect(shell.text()).toMatch(/^✗ Shell bun test {2}exit 1 · 3 lines.*\n {2}one\n {2}two\n {2}1 of 48 failed$/m);
  await shell.play(said.call("Shell", { command: "touch a" }));
  await shell.play({ ...said.result(true, "(exit status 0)"), tool: "Shell" } as Signal);
  expect(shell.text()).toMatch(/^✓ Shell touch a {2}no output/m);
  await shell.leave();
});

test("a tool shows its call and time; a finished one is one line with size and time, and ctrl-o expands it", async () => {
  const shell = await played();
  await asked(shell);
  await shell.play(said.call("Shell", { command: "bun test\nls" }));
  await shell.settle(4500);
  expect(dock(shell)[0]).toMatch(/^\* running Shell bun test⏎ls {2}4 s · ctrl-o expand · esc stop$/);
  await shell.play({ ...said.result(true, "one\ntwo\n"), tool: "Shell" } as Signal);
  expect(shell.text()).toMatch(/^✓ Shell bun test⏎ls {2}2 lines · 4\.5 s · ctrl-o expand$/m);
  await shell.play(said.call("Edit", { path: "~/a.md", oldString: "a\nb", newString: "a\nc\nd" }), {
    ...said.result(true, "replaced 1 in ~/a.md, at line 41"),
    tool: "Edit",
  } as Signal);
  expect(shell.text()).toMatch(/^✓ Edit ~\/a\.md {2}\+2 -1 · \d+ ms$/m);
  await shell.type("\x0f");
  // Numbered as in the file.
  await shell.until(/^41 {3}a\n42 - b\n42 \+ c\n43 \+ d$[\s\S]*2 of 2 · ctrl-o earlier/m);
  await shell.type("\x0f");
  await shell.until(/one\ntwo[\s\S]*1 of 2/);
  // Letters in the same read after the key that closes a view go to the line.
  await shell.type("qecho hi");
  await shell.until(/\$ echo hi$/);
  await shell.leave();
});

const until = (shell: Played, ms: number) => shell.io.clock.now() + ms;
const HELD: readonly [string, (shell: Played) => WaitsFor, readonly string[]][] = [
  [
    "an outage",
    (shell) => ({
      kind: "outage",
      model: MODEL,
      class: "outage",
      reason: "anthropic is overloaded (529)",
      until: until(shell, 252_000),
    }),
    ["‖ paused: anthropic is overloaded since 03:04  retrying in 4:10 · r retry now · m switch model"],
  ],
  [
    "a refused key",
    () => ({
      kind: "credential",
      provider: "anthropic",
      reason: "anthropic refused the key (401). Another: gsv auth provider anthropic",
    }),
    ["‖ paused: anthropic refused the key (401)  e enter key · m switch model · r retry now"],
  ],
  [
    "an unknown model",
    () => ({
      kind: "credential",
      provider: "anthropic",
      missing: "model",
      reason: "anthropic has no model x (404). To see its models: gsv models --provider anthropic",
    }),
    ["‖ paused: anthropic has no model x (404)  r retry now · m switch model"],
  ],
  [
    "a used-up budget",
    () => ({ kind: "limit", reason: "$5.00 of $5.00 used today" }),
    ["‖ paused: $5.00 of $5.00 used today  b raise budget · k kill"],
  ],
  ["a full disk", () => ({ kind: "disk", reason: "the disk is full" }), ["‖ paused: the disk is full  r retry now"]],
];

describe("paused", () => {
  test.each(HELD)("by %s", async (_name, waitsFor, lines) => {
    const shell = await played();
    await shell.play(said.state("paused", waitsFor(shell)));
    await shell.settle(1000);
    expect(dock(shell).slice(0, -2)).toEqual([...lines]);
    await shell.leave();
  });

  test("a narrow screen takes more rows", async () => {
    const shell = await played({ columns: 40, rows: 12 });
    await shell.play(said.state("paused", HELD[0]![1](shell)));
    await shell.settle(1000);
    expect(dock(shell).slice(0, -2)).toEqual([
      "‖ paused: anthropic is overloaded since",
      "  03:04",
      "  retrying in 4:10 · r retry now",
      "  m switch model",
    ]);
    await shell.leave();
  });

  test("r retries; m and b begin a line, and are letters if a word follows", async () => {
    const shell = await played();
    await shell.play(said.state("paused", HELD[0]![1](shell)));
    await shell.type("r");
    expect(shell.io.fakeSys.asked("proc.signal")).toEqual([{ pid: PID, signal: "CONT" }]);
    await shell.settle(500);
    await shell.type("m");
    expect(shell.text()).toEndWith("$ /model");
    await shell.settle(500);
    await shell.type("\x15m");
    await shell.type("ake it so");
    expect(shell.text()).toEndWith("› make it so");
    await shell.leave();
  });
});

test("a retry shows when and why; a stopped process shows the key that resumes it", async () => {
  const shell = await played();
  await asked(shell);
  const model = { model: MODEL, class: "network", reason: "the connection broke" } as const;
  await shell.play(said.state("running", { kind: "model", ...model, until: until(shell, 12_500) }));
  expect(dock(shell)[0]).toMatch(/^\* retrying in 13 s {2}the connection broke · esc stop$/);
  const attempt = { next: 3, of: 15 };
  await shell.play(said.state("running", { kind: "model", ...model, attempt, until: until(shell, 4000) }));
  expect(dock(shell)[0]).toMatch(/^\* retrying in 4 s \(3 of 15\) {2}the connection broke · esc stop$/);
  await shell.play(said.complete("aborted"), said.state("stopped"));
  expect(dock(shell)[0]).toBe("‖ stopped  r resume");
  await shell.leave();
});

test("a fallback model is named until the next run", async () => {
  const shell = await played();
  await asked(shell);
  await shell.play({ ...said.restart(), fallbackModel: "ollama/qwen3" } as Signal, said.delta("So."));
  expect(dock(shell)[0]).toBe("‖ offline: using ollama/qwen3  anthropic/claude-fable-5 is out of reach");
  expect(dock(shell)[2]).toMatch(/^~ {2}init:1000 {2}qwen3 /);
  await shell.play(said.complete("ok", "So."), said.state("idle"), said.start({ model: MODEL, run: `${RUN}2` }));
  expect(shell.text()).not.toContain("offline");
  await shell.leave();
});

test("time and cost of a run stand below it and add up in the status row; a quick free run has no such line", async () => {
  const shell = await played();
  await asked(shell);
  await shell.play(said.text("So."));
  await shell.settle(3000);
  const usage = { input: 1200, output: 214, cacheRead: 39_000, cacheWrite: 0, costUsd: 0.0142 };
  await shell.play(said.complete("ok", "So.", { usage }), said.state("idle"));
  expect(shell.text()).toMatch(/^ {2}3\.\d s · 40k in, 214 out · \$0\.01$/m);
  expect(dock(shell)[0]).toBe("~  init:1000  claude-fable-5  ctx ▮▮▯▯▯▯▯▯ 23%  $0.01");
  await asked(shell);
  await shell.play(said.text("So."), said.complete("ok", "So."), said.state("idle"));
  expect(shell.text().match(/ out /g)).toHaveLength(1);
  await shell.leave();
});

test("the meter warns before a compaction, and the transcript notes it", async () => {
  const shell = await played({ tokens: 170_000 });
  expect(dock(shell)[0]).toContain("ctx ▮▮▮▮▮▮▮▯ 85% compacts soon");
  const compacted = { segment: 1, fromSeq: 1, toSeq: 40, seq: 41, tokensBefore: 41_203, tokensAfter: 18_900 } as const;
  const { run: _, ...base } = said.complete("ok") as Extract<Signal, { name: "chat.complete" }>;
  await shell.play({
    ...{ pid: base.pid, uid: base.uid, parent: null, at: 0, name: "process.compacted" },
    ...{ ...compacted, model: MODEL, cause: "asked" },
  } as Signal);
  expect(shell.text()).toContain("Compacted 41,203 → 18,900 tokens");
  await shell.leave();
});

test("the end of another process is shown in the status row for eight seconds", async () => {
  const shell = await played();
  await shell.play({ ...said.complete("ok"), pid: "task:k3abcd" } as Signal);
  expect(dock(shell)[0]).toMatch(/ task:k3abcd done$/);
  await shell.settle(8100);
  expect(shell.text()).not.toContain("task:k3abcd");
  await shell.leave();
});

test("leaving names running and waiting tasks, if there are any", async () => {
  const BACK = ". Run gsv to return.";
  const left: readonly (readonly [readonly ProcessState[], string | null])[] = [
    [["running", "waiting_tool", "waiting_hil", "idle"], `2 tasks keep running, 1 waits for you${BACK}`],
    [["queued"], `1 task keeps running${BACK}`],
    [["waiting_hil", "waiting_hil"], `2 tasks wait for you${BACK}`],
    [["idle", "stopped"], null],
  ];
  for (const [states, expected] of left) {
    const shell = await played();
    shell.io.fakeSys.answer("proc.list", () => ({
      processes: states.map((state) => processInfo({ state })),
      next: null,
    }));
    await shell.type("/quit\r");
    expect(await shell.over).toBe(0);
    await shell.settle();
    const shown = shell.everything().join("\n");
    if (expected === null) expect(shown).not.toContain(BACK);
    else expect(shown).toContain(expected);
  }
});

test("attaching during a run shows its activity, and the reason of retries is shown once", async () => {
  const shell = await Played.open({
    prepare: ({ fakeSys }) => {
      fakeSys.answer("proc.get", () => processInfo({ state: "waiting_tool", activeRunId: RUN }));
      const content = { text: "I look.", toolCalls: [{ id: "c1", name: "Read", args: { path: "~/a.md" } }] };
      const messages = [{ id: 2, role: "assistant", runId: RUN, timestamp: 0, content }];
      fakeSys.answer("proc.history", () => ({ pid: PID, messages, messageCount: 2, inPart: [], hasMoreBefore: false }));
    },
  });
  expect(dock(shell)[0]).toBe("* running Read ~/a.md  0 s · ctrl-o expand · esc stop");
  await shell.play(said.result(true, "one\n"), said.restart(), said.restart());
  expect(shell.text()).toMatch(/^✓ Read ~\/a\.md {2}/m);
  expect(shell.text().match(/Retrying/g)).toHaveLength(1);
  await shell.leave();
});
