// The writer of the terminal, read through an emulator: every line once, nothing torn, nothing cleared.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Shown } from "../support/shown.ts";

test("lines go into scrollback once, above a live part of any height", async () => {
  const shown = new Shown(40, 20);
  shown.live("> ");
  shown.screen.commit(["one", "two"]);
  expect(await shown.painted()).toEqual(["one", "two", ">"]);
  shown.live("tail", "", "status", "> x");
  shown.screen.commit(["three"]);
  expect(await shown.painted()).toEqual(["one", "two", "three", "tail", "", "status", "> x"]);
  shown.live("> ");
  shown.screen.commit(["four"]);
  expect(await shown.painted()).toEqual(["one", "two", "three", "four", ">"]);
});

test("a live part that gets smaller at the bottom of the screen stays there, and the next lines fill the gap", async () => {
  const shown = new Shown(40, 6);
  shown.live("menu 1", "menu 2", "> ");
  expect(await shown.painted()).toEqual(["menu 1", "menu 2", ">"]);
  shown.live("> ");
  expect(await shown.painted()).toEqual([">"]);
  shown.screen.commit(["one", "two", "three", "four", "five"]);
  shown.live("menu 1", "menu 2", "> ");
  await shown.painted();
  shown.live("> ");
  expect(await shown.painted()).toEqual(["one", "two", "three", "four", "five", "", "", ">"]);
  shown.screen.commit(["six"]);
  expect(await shown.painted()).toEqual(["one", "two", "three", "four", "five", "six", "", ">"]);
  shown.live("menu 1", "> ");
  expect(await shown.painted()).toEqual(["one", "two", "three", "four", "five", "six", "menu 1", ">"]);
});

test("after another program, too, a menu that closes leaves no empty rows below the dock", async () => {
  for (const above of [2, 30]) {
    const shown = new Shown(40, 12);
    shown.live("> ");
    await shown.painted();
    shown.screen.release();
    await shown.painted();
    await shown.other(Array.from({ length: above }, (_, line) => `output ${line}\r\n`).join(""));
    shown.screen.reclaim();
    await shown.painted();
    shown.live("menu 1", "menu 2", "menu 3", "> ");
    await shown.painted();
    shown.live("> ");
    await shown.painted();
    const { baseY, cursorY } = shown.emulator.buffer.active;
    expect([above, baseY + cursorY]).toEqual([above, above === 2 ? 2 : baseY + 11]);
    expect((await shown.painted()).filter((line) => line.startsWith("output"))).toHaveLength(above);
  }
});

test("a terminal that does not say where its cursor is, is not asked any more", async () => {
  const shown = new Shown(40, 12);
  const asked: string[] = [];
  for (let round = 0; round < 4; round++) {
    shown.screen.release();
    shown.screen.reclaim();
    asked.push(`${shown.writes.splice(0).join("").split("\x1b[6n").length - 1}`);
    const settled = shown.screen.questions.settled();
    await shown.clock.advance(1000);
    await settled;
  }
  expect(asked).toEqual(["1", "1", "0", "0"]);
});

test("the terminal is not given away while an answer of a slow connection is on its way", async () => {
  const shown = new Shown(40, 12);
  shown.screen.findPlace();
  await shown.clock.advance(600);
  let isSettled = false;
  const settled = shown.screen.questions.settled().then(() => {
    isSettled = true;
  });
  await Bun.sleep(0);
  expect(isSettled).toBe(false);
  await shown.painted();
  await settled;
  expect(isSettled).toBe(true);
});

test("a paint is one synchronized write, and never clears the screen or scrollback", async () => {
  const shown = new Shown();
  shown.live("a", "b");
  for (let line = 0; line < 50; line++) {
    shown.screen.commit([`line ${line}`]);
    shown.live(`a ${line}`, "b");
    shown.screen.paint();
    expect(shown.writes).toHaveLength(1);
    const [text = ""] = shown.writes;
    expect(text).toStartWith("\x1b[?2026h");
    expect(text).toEndWith("\x1b[?2026l");
    expect(text).not.toMatch(/\x1b\[[23]J/);
    await shown.painted();
  }
});

test("a paint writes only changed rows, and nothing if none changed", async () => {
  const shown = new Shown(40, 10);
  shown.live("status", "> a");
  await shown.painted();
  shown.live("status", "> ab");
  shown.screen.paint();
  expect(shown.writes.join("")).not.toContain("status");
  await shown.painted();
  shown.screen.paint();
  expect(shown.writes).toEqual([]);
});

test("constant changes are painted 30 times a second, a single one within 16 ms, a key at once", async () => {
  const shown = new Shown();
  const over = async (ms: number, changes: boolean) => {
    shown.writes.length = 0;
    for (let at = 0; at < ms; at++) {
      if (changes) shown.live(`word ${shown.clock.mono()}`);
      await shown.clock.advance(1);
    }
    return shown.writes.length;
  };
  const second = await over(1000, true);
  expect([second >= 28, second <= 32]).toEqual([true, true]);
  await over(100, false);
  shown.live("one more");
  expect(await over(16, false)).toBe(1);
  shown.live("x");
  shown.screen.paint();
  expect(shown.writes).toHaveLength(2);
});

test("lines as wide as the terminal or wider keep every letter and leave nothing of old rows", async () => {
  const shown = new Shown(20, 6);
  shown.live("x".repeat(19), "y".repeat(19));
  await shown.painted();
  const lines = ["a".repeat(20), "b".repeat(40), "c".repeat(45), "中".repeat(10)];
  shown.screen.commit(lines);
  shown.live("> ");
  expect(await shown.painted()).toEqual([...lines, ">"]);
});

test("older text stays over resizes, and no copy of the live part is left", async () => {
  const shown = new Shown(40, 8);
  const before = Array.from({ length: 12 }, (_, line) => `history ${line}`);
  await shown.other(before.map((line) => `${line}\r\n`).join(""));
  shown.live("status of the process, a row as long as it gets", "> typed");
  for (const [columns, rows] of [
    [20, 8],
    [40, 8],
    [15, 5],
    [60, 12],
    [40, 8],
  ] as const) {
    shown.resize(columns, rows);
    shown.screen.commit([`at ${columns}`]);
    await shown.painted();
  }
  const lines = await shown.painted();
  expect(lines.filter((line) => line.startsWith("history"))).toEqual(before);
  expect(lines.filter((line) => line.startsWith("at "))).toEqual(["at 20", "at 40", "at 15", "at 60", "at 40"]);
  expect(lines.filter((line) => line.includes("> typed"))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith("status"))).toHaveLength(1);
});

test("if a narrower terminal cuts the typed row, nothing above is lost or doubled", async () => {
  const before = Array.from({ length: 12 }, (_, line) => `history ${line}`);
  const shown = new Shown(60, 12);
  await shown.other(before.map((line) => `${line}\r\n`).join(""));
  shown.screen.commit(["said"]);
  shown.live("status", `> ${"typed ".repeat(8)}`);
  shown.cursorAt(50);
  await shown.painted();
  shown.resize(25, 12);
  expect(shown.writes).toEqual(["\x1b[6n"]);
  shown.live("status", "> typed");
  expect(await shown.painted()).toEqual([...before, "said", "status", "> typed"]);
});

test("a terminal that never reports its cursor is painted soon", async () => {
  const shown = new Shown(60, 12);
  shown.live(`> ${"typed ".repeat(8)}`);
  shown.cursorAt(50);
  await shown.painted();
  shown.resize(25, 12);
  shown.writes.length = 0;
  shown.live("> typed");
  shown.screen.paint();
  expect(shown.writes).toEqual([]);
  await shown.clock.advance(200);
  expect(shown.writes.join("")).toContain("> typed");
});

test("after another program the screen continues, wherever the cursor was left", async () => {
  const shown = new Shown(30, 10);
  shown.live("status", "> ");
  shown.screen.commit(["$ ls"]);
  await shown.painted();
  shown.screen.release();
  await shown.painted();
  await shown.other("a  b\r\nno newline at the end");
  shown.screen.reclaim();
  expect(await shown.painted()).toEqual(["$ ls", "a  b", "no newline at the end", "status", ">"]);
  shown.screen.release();
  await shown.painted();
  await shown.other("whole\r\n");
  shown.screen.commit(["committed meanwhile"]);
  shown.screen.reclaim();
  expect((await shown.painted()).slice(-4)).toEqual(["whole", "committed meanwhile", "status", ">"]);
});

test("a full-screen view leaves scrollback unchanged, and later lines appear afterwards", async () => {
  const shown = new Shown();
  shown.screen.commit(["one"]);
  shown.live("> ");
  await shown.painted();
  shown.screen.enterAlt();
  shown.screen.paintAlt(["top", "row"]);
  shown.screen.commit(["two"]);
  expect(await shown.painted()).toEqual(["top", "row"]);
  shown.screen.leaveAlt();
  expect(await shown.painted()).toEqual(["one", "two", ">"]);
});

test("if drawing fails the terminal is still restored, out of a full-screen view too", async () => {
  for (const full of [false, true]) {
    const shown = new Shown(20, 6);
    shown.screen.commit(["one"]);
    shown.live("tail", "> ");
    await shown.painted();
    if (full) shown.screen.enterAlt();
    shown.breaks = true;
    shown.screen.changed();
    expect(() => shown.screen.release()).toThrow();
    shown.screen.abandon();
    for (const text of shown.writes.splice(0)) await shown.other(text);
    await shown.other("sh$ ");
    expect(shown.emulator.buffer.active.type).toBe("normal");
    expect(shown.lines()).toEqual(["one", "sh$"]);
  }
});

test("clearing pushes the screen into scrollback, once, and keeps the live part", async () => {
  const shown = new Shown(20, 6);
  shown.screen.commit(["one", "two"]);
  shown.live("> ");
  await shown.painted();
  shown.screen.pushUp();
  expect(await shown.painted()).toEqual(["one", "two", ">"]);
  expect(shown.emulator.buffer.active.baseY).toBe(2);
});

test("for any lines, paints and sizes each line is there once, in order", async () => {
  const step = fc.oneof(
    fc.record({ commit: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }) }),
    fc.record({ live: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 9 }) }),
    fc.record({ paint: fc.constant(true) }),
    fc.record({ rows: fc.integer({ min: 3, max: 12 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const shown = new Shown(16, 8);
      const said: string[] = [];
      for (const move of steps) {
        if ("commit" in move) {
          const lines = move.commit.map((length, at) => `#${said.length + at}${"x".repeat(length)}`);
          said.push(...lines);
          shown.screen.commit(lines);
        } else if ("live" in move) shown.live(...move.live.map((length) => `.${"-".repeat(length)}`));
        else if ("rows" in move) shown.resize(16, move.rows);
        else await shown.painted();
      }
      const lines = await shown.painted();
      expect(lines.filter((line) => line.startsWith("#"))).toEqual(said);
    }),
    { numRuns: 60 },
  );
});
