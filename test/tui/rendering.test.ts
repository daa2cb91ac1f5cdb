// Invariants of the screen and of scrollback, over random events and sizes.

import { expect, test } from "bun:test";
import type { Signal } from "../../src/abi/signal.ts";
import { said } from "../support/chat.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";
import { type Random, seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";

const BEFORE = Array.from({ length: 60 }, (_, line) => `history ${line}`);

/** Distinct lines of an answer. */
class Story {
  readonly lines: string[] = [];
  private turn = 0;
  private open = "";

  constructor(private readonly random: Random) {}

  private fresh(longest = 12): string {
    const line = `line ${String(this.lines.length).padStart(4, "0")} ${"x".repeat(this.random.int(longest))}`;
    this.lines.push(line.trim());
    return line.trim();
  }

  private paragraph(): string {
    const count = 1 + this.random.int(4);
    const form = this.random.int(3);
    // Prose is broken where it is written; what is code is the terminal's to wrap.
    const lines = Array.from({ length: count }, () => this.fresh(form === 2 ? 150 : 12));
    if (form === 0) return `${lines.join("\n\n")}\n\n`;
    if (form === 1) return `${lines.map((line) => `- ${line}`).join("\n")}\n\n`;
    return `\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\n`;
  }

  delta(): Signal {
    const text = this.paragraph();
    this.open += text;
    return said.delta(text, { turn: this.turn });
  }

  commit(): Signal {
    const text = this.open;
    this.open = "";
    return said.text(text, { turn: this.turn++ });
  }

  result(): Signal {
    return said.result(this.random.int(4) > 0, this.random.int(2) === 0 ? "out\nput" : "");
  }
}

function holds(played: Played, from: number): void {
  for (const text of played.writes.slice(from)) {
    expect(text).not.toMatch(/\x1b\[[23]J/);
    expect(text.split("\x1b[?2026h").length).toBe(text.split("\x1b[?2026l").length);
    if (text.startsWith("\x1b[?2026h")) expect(text.endsWith("\x1b[?2026l")).toBe(true);
  }
}

function holdsAtRest(played: Played, story: Story): void {
  const lines = played.everything();
  expect(lines.filter((line) => line.startsWith("history "))).toEqual(BEFORE);
  expect(lines.filter((line) => /^~ {2}init:1000/.test(line))).toHaveLength(1);
  const told = lines.flatMap((line) => /^ {2,6}(?:- )?(line \d{4}(?: x+)?)$/.exec(line)?.[1] ?? []);
  expect(told).toEqual(story.lines);
}

async function step(played: Played, story: Story, random: Random): Promise<void> {
  const steps: readonly (() => Promise<void>)[] = [
    () => played.play(story.delta()),
    () => played.play(story.delta(), story.delta()),
    () => played.play(story.commit()),
    () => played.play(said.call("Read", { path: "~/a" }), story.result()),
    // What a terminal made so small pushes up by itself nobody can take back: there are rows for what stands below, wrapped too.
    () => played.resize(40 + random.int(80), 30 + random.int(20)),
    () => played.resize(100, 30),
    () => played.type("word "),
    () => played.type("\x15a-word-that-is-longer-than-a-row-of-many-a-terminal-and-goes-on-and-on "),
    () => played.type("\x7f\x7f"),
    () => played.play(said.hil({ id: `a${random.int(99)}` })),
    () => played.play(said.closed()),
    () => played.settle(300),
  ];
  await random.pick(steps)();
}

test("over any sizes each line is in scrollback once and in order, older text stays, and no copy of the dock is left", async () => {
  for (let round = 0; round < samples(4, 200); round++) {
    const random = seeded(Math.floor(Math.random() * 2 ** 31));
    const played = await Played.open({ before: BEFORE });
    const story = new Story(random);
    try {
      await played.play(said.start({ model: "a-model-of-a-name-that-no-narrow-terminal-has-on-one-row-of-its-own" }));
      for (let at = 0; at < 40; at++) {
        const from = played.writes.length;
        await step(played, story, random);
        holds(played, from);
      }
      await played.play(story.commit(), said.complete("ok"));
      await played.type("\x15");
      await played.resize(100, 30);
      await played.play(...Array.from({ length: 30 }, () => said.closed()));
      holdsAtRest(played, story);
    } catch (error) {
      throw new Error(
        `seed ${random.seed}: ${error instanceof Error ? error.message : error}\n${played.everything().join("\n")}`,
      );
    }
    await played.leave();
  }
});

test("the dock is never taller than the screen, and the line is always visible", async () => {
  const args = { path: "~/x", note: Array.from({ length: 80 }, (_, line) => `row ${line}`).join("\n") };
  for (const [columns, rows] of [
    [40, 12],
    [60, 20],
    [300, 100],
    [20, 6],
  ] as const) {
    const played = await Played.open({ columns, rows, before: BEFORE });
    await played.play(
      said.start(),
      said.delta("word\n".repeat(300)),
      said.hil({ args }),
      said.hil({ id: "zzzz", args }),
    );
    await played.type("one\x1b\rtwo\x1b\rthree\x1b\rfour\x1b\rfive\x1b\rsix\x1b\rseven\x1b\reight\x1b\rnine\x1b\rten");
    expect(played.text()).toContain("  ten");
    const { cursorY, baseY } = played.emulator.buffer.active;
    expect(cursorY).toBe(played.rowsNow().findLastIndex((row) => row !== ""));
    expect(played.everything().filter((line) => line.startsWith("history "))).toEqual(BEFORE);
    expect(baseY).toBeLessThan(BEFORE.length + 40);
    await played.type("\x03");
    await played.leave();
  }
});

test("a paint that is read in pieces never loses the line", async () => {
  const played = await Played.open();
  const story = new Story(seeded(7));
  await played.play(said.start());
  await played.type("half a thought");
  for (let at = 0; at < 30; at++) {
    // One write at a time, as one read of a terminal has it.
    const from = played.writes.length;
    await played.play(story.delta());
    expect(played.writes.length - from).toBeLessThanOrEqual(2);
    expect(played.text()).toContain("› half a thought");
  }
  await played.type("\x03");
  await played.play(said.complete("ok"));
  await played.leave();
});

test("a full-screen view restores the screen with newer messages, at another size too", async () => {
  const played = await Played.open({
    before: BEFORE,
    prepare: ({ fakeSys }) => {
      fakeSys.answer("proc.list", () => ({
        processes: [processInfo(), processInfo({ pid: "task:aaaaaa" })],
        next: null,
      }));
    },
  });
  const story = new Story(seeded(3));
  await played.play(said.start(), story.delta());
  await played.type("\x14");
  await played.until(/^PID/m);
  await played.play(story.delta(), story.commit());
  await played.resize(60, 20);
  await played.until(/^PID/m);
  await played.resize(100, 30);
  await played.type("q");
  await played.play(said.complete("ok"));
  holdsAtRest(played, story);
  await played.leave();
});
