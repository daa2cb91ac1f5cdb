// Views of the terminal: what keys make of them, and what stands on the screen, at every size.

import { describe, expect, test } from "bun:test";
import type { TraceRow } from "../../src/syscalls/services.ts";
import type { Key } from "../../tui/line/keys.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import type { Ask } from "../../tui/state/asks.ts";
import type { Picker, Strace, Top } from "../../tui/state/views.ts";
import { pickerLines } from "../../tui/view/picker.ts";
import { straceLines } from "../../tui/view/strace.ts";
import { topLines } from "../../tui/view/top.ts";
import { newPicker, onPickerKey } from "../../tui/views/picker.ts";
import { newStrace, onStraceKey, selectedAt, shownCalls, withCalls } from "../../tui/views/strace.ts";
import { hearing, NEW_TOP, onTopKey, rateOf, rowsOf } from "../../tui/views/top.ts";
import { said } from "../support/chat.ts";
import { HOSTILE } from "../support/hostile-text.ts";
import { actsIn } from "../support/inert.ts";
import { processInfo } from "../support/played.ts";

const plain = themeOf({ colour: false, unicode: true });
const SIZES = [
  [100, 30],
  [60, 20],
  [40, 12],
  [300, 100],
] as const;

function key(text: string): Key {
  const names: { readonly [text: string]: Key["name"] } = { "\r": "enter", "\x1b": "escape", "↓": "down" };
  const name = names[text] ?? "text";
  const ctrl = text.startsWith("^");
  return { name, text: name === "text" ? text.replace(/^\^/, "") : "", ctrl, alt: false, shift: false };
}

/** Every row fits, none is more than the screen has, nothing in them acts. */
function expectScreen(lines: readonly string[], [columns, rows]: readonly [number, number]): void {
  expect(lines.length).toBeLessThanOrEqual(rows);
  for (const line of lines) {
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).not.toContain("\n");
  }
}

function text(lines: readonly string[]): string {
  return lines.map((line) => Bun.stripANSI(line).trimEnd()).join("\n");
}

describe("strace", () => {
  const PID = "task:abc123";
  const call = (id: number, name: string, more: Partial<TraceRow> = {}) => {
    const row = { id, at: id * 1000, call: name, args: '{"path":"~/a.md"}', outcome: "ok", ms: 1.5, ...more };
    return { ...row, pid: PID };
  };
  const calls = [
    call(1, "fs.read"),
    call(2, "net.fetch", { args: '{"url":"https://example.org"}', outcome: "EPERM" }),
    call(3, "shell.exec", { args: '{"command":"bun test\\nls"}', ms: 4200 }),
  ];
  const strace = withCalls(
    { ...newStrace(PID, "", null), info: processInfo({ pid: PID, label: "docs audit" }) },
    calls,
  );
  const pressed = (keys: string, from: Strace = strace): Strace =>
    [...keys].reduce((now, each) => onStraceKey(now, key(each), 10).strace, from);
  const selected = (now: Strace) => shownCalls(now)[selectedAt(now, shownCalls(now))]?.id;

  test("follows the newest until one moves up, and again from the end down", () => {
    expect(selected(strace)).toBe(3);
    expect(selected(withCalls(strace, [call(4, "fs.write")]))).toBe(4);
    const still = pressed("k");
    expect(selected(withCalls(still, [call(4, "fs.write")]))).toBe(2);
    expect(selected(withCalls(pressed("jj", still), [call(4, "fs.write")]))).toBe(4);
  });

  test("e shows what failed, / what is typed, and the selection stays with its call", () => {
    expect(shownCalls(pressed("e")).map(({ id }) => id)).toEqual([2]);
    expect(shownCalls(pressed("/bun\r")).map(({ id }) => id)).toEqual([3]);
    expect(shownCalls(pressed("/zzz\r"))).toEqual([]);
    expect(shownCalls(pressed("/bun\x1b"))).toHaveLength(3);
    expect(shownCalls({ ...strace, expression: "!fs" }).map(({ id }) => id)).toEqual([2, 3]);
  });

  test("says whose calls they are, how many failed, and all of the selected one", () => {
    const lines = text(straceLines({ strace: pressed("\r"), theme: plain, columns: 100, rows: 30 }));
    expect(lines).toMatch(/^strace task:abc123 {2}docs audit {2}following +3 calls · 1 failed · 4\.2\d s$/m);
    expect(lines).toMatch(/net\.fetch +https:\/\/example\.org +EPERM/);
    expect(lines).toMatch(/› shell\.exec .*ok {2}4\.20 s/);
    expect(lines).toContain("command     bun test\n              ls");
    expect(lines).toMatch(/q back$/);
  });

  test("fits every size, and what stands in an argument is inert", () => {
    for (const { text: hostile } of HOSTILE)
      for (const size of SIZES.slice(0, 3)) {
        const [columns, rows] = size;
        const row = call(1, hostile, { args: JSON.stringify({ [hostile]: hostile }), outcome: hostile });
        const lines = straceLines({
          strace: { ...withCalls(strace, [{ ...row, id: 9 }]), over: hostile },
          theme: plain,
          columns,
          rows,
        });
        expectScreen(lines, size);
        expect(actsIn(lines.join("\n"))).toBeNull();
      }
  });
});

describe("top", () => {
  const family = [
    processInfo({ label: "personal", createdAt: 1, costUsd: 0.42 }),
    processInfo({ pid: "task:k3", parentPid: "init:1000", label: "docs audit", state: "running", createdAt: 2 }),
    processInfo({
      pid: "task:m9",
      parentPid: "task:k3",
      label: "links",
      state: "waiting_hil",
      createdAt: 3,
      costUsd: 1,
    }),
  ];
  const top: Top = { ...NEW_TOP, processes: family };
  const pressed = (keys: string, from = top, at = 0): Top =>
    [...keys].reduce((now, each) => onTopKey(now, key(each), at).top, from);
  const pids = (now: Top, at = 10_000) => rowsOf(now, at).map(({ process }) => process.pid);

  test("counts what is written, of whomever, and forgets it after some seconds", () => {
    const busy = hearing(top, said.delta("x".repeat(100), { pid: "task:k3" }), 1000);
    expect(rateOf(busy, "task:k3", 1500)).toBe(5);
    expect(rateOf(busy, "init:1000", 1500)).toBe(0);
    expect(rateOf(busy, null, 9000)).toBe(0);
    expect(text(topLines({ ...props(busy), now: 1500 }))).toMatch(/task:k3 +R +- +5 /);
  });

  test("sorts by what is asked, as a tree or flat, and holds the order for a moment after a key", () => {
    const flat = pressed("t");
    expect(pids(flat)).toEqual(["init:1000", "task:k3", "task:m9"]);
    const costly = pressed("sss", flat);
    expect(costly.sort).toBe("cost");
    expect(pids(costly)).toEqual(["task:m9", "init:1000", "task:k3"]);
    const dearer = family.map((each) => (each.pid === "task:k3" ? { ...each, costUsd: 9 } : each));
    const held = { ...pressed("↓", costly, 10_000), processes: dearer };
    expect(pids(held, 11_000)).toEqual(["task:m9", "init:1000", "task:k3"]);
    expect(pids(held, 12_500)).toEqual(["task:k3", "task:m9", "init:1000"]);
  });

  test("keys wish for what they say: talk, log, calls, stop, end of the run, end after a question", () => {
    const wish = (keys: string) => onTopKey(pressed(keys.slice(0, -1)), key(keys.at(-1) ?? ""), 0).wish;
    expect(wish("\r")).toEqual({ wish: "talk", pid: "init:1000" });
    expect(wish("↓l")).toEqual({ wish: "log", pid: "task:k3" });
    expect(wish("↓c")).toEqual({ wish: "calls", pid: "task:k3" });
    expect(wish("↓p")).toEqual({ wish: "signal", pid: "task:k3", signal: "STOP" });
    expect(wish("↓i")).toEqual({ wish: "stop-run", pid: "task:k3" });
    expect(wish("↓k")).toBeNull();
    expect(wish("↓ky")).toEqual({ wish: "end", pid: "task:k3" });
    expect(wish("↓kn")).toBeNull();
    expect(wish("↓↓y")).toEqual({ wish: "answer", pid: "task:m9", decision: "approve" });
    expect(wish("↓y")).toBeNull();
  });

  test("shows what each costs, how full it is and who answers it, and all that the selected one asks", () => {
    const looks = { "task:k3": { activeAt: null, model: "anthropic/claude-opus-5", context: 0.614 } };
    const lines = text(topLines(props({ ...top, looks })));
    expect(lines).toMatch(/^top {2}\d\d:\d\d:\d\d {2}3 processes {2}1 working {2}1 waits for you +\$1\.42 {2}by age$/m);
    expect(lines).toMatch(/├? ?└ task:k3 +R +61% +- +- .* claude-opus-5 /);
    const ask: Ask = {
      ...{
        id: "k3x9",
        kind: "approval",
        pid: "task:m9",
        tool: "Delete",
        call: "fs.delete",
        args: { path: "~/x\u202e" },
      },
      kind: "approval",
      ...{ why: "deletes ask first", about: null, hash: "h", expiresAt: null, since: 0 },
    };
    const asking = text(topLines({ ...props({ ...top, selected: "task:m9" }), asks: [ask] }));
    expect(asking).toContain("? wants Delete deletes ask first\n  | ~/x⟨U+202E⟩");
    expect(asking).toContain("y allow  n refuse");
  });

  test("no row of what is asked begins with words of the one who asks", () => {
    const command = `echo ${"x".repeat(47)}${" ".repeat(40)}y allow  n refuse, this is harmless ${"中".repeat(60)}`;
    const ask: Ask = {
      ...{ id: "k3x9", kind: "approval", pid: "task:m9", tool: "Shell", call: "shell.exec", args: { command } },
      ...{ why: "it asks", about: null, hash: "h", expiresAt: null, since: 0 },
    };
    for (const [columns, rows] of SIZES.map(([wide, high]) => [wide, Math.max(high, 30)] as const)) {
      const lines = topLines({ ...props({ ...top, selected: "task:m9" }), columns, rows, asks: [ask] });
      const quoted = lines.filter((line) => /[x中]{5}|harmless/.test(line));
      expect(quoted.length).toBeGreaterThan(0);
      expect(quoted.filter((line) => !line.startsWith("  | "))).toEqual([]);
    }
  });

  test("fits every size with 200 processes, and what they are called is inert", () => {
    const many = Array.from({ length: 200 }, (_, at) =>
      processInfo({
        pid: `task:${at}`,
        label: HOSTILE[at % HOSTILE.length]?.text ?? "",
        cwd: "/home/sam/中文",
        createdAt: at,
      }),
    );
    for (const size of SIZES) {
      const [columns, rows] = size;
      const lines = topLines({ ...props({ ...top, processes: many, selected: "task:150" }), columns, rows });
      expectScreen(lines, size);
      expect(actsIn(lines.join("\n"))).toBeNull();
      expect(lines.some((line) => line.startsWith("\x1b[7mtask:150"))).toBe(true);
    }
  });

  function props(now: Top) {
    return { top: now, asks: [], notice: "", theme: plain, now: 10_000, columns: 100, rows: 30 };
  }

  test("what is told for a moment stands beside the keys, and how to leave stays in sight", () => {
    const about = { top, asks: [], notice: "task:k3 done", theme: plain, now: 10_000, rows: 20 };
    const foot = (columns: number) => Bun.stripANSI(topLines({ ...about, columns }).at(-1) ?? "");
    expect(foot(100)).toMatch(/^↑↓ move {2}enter talk.* q back +task:k3 done$/);
    expect(foot(40)).toMatch(/^enter talk {2}q back +task:k3 done$/);
    // Nothing that is told, and no request of many lines, takes the place of the keys.
    const ask = { ...said.hil({ pid: "task:m9", why: "run: one\ntwo\nthree\nfour\nfive" }), since: 0 } as Ask;
    const selected = { ...about, top: { ...top, selected: "task:m9" }, asks: [ask] };
    const notice = "the editor ended with status 1: the text is kept in /run/user/1000/gsv/draft";
    const lines = text(topLines({ ...selected, columns: 60, notice })).split("\n");
    expect(lines).toHaveLength(20);
    expect(lines.at(-1)).toMatch(/^enter talk {2}y allow {2}n refuse {2}q back {2}the editor.*…$/);
  });
});

describe("a picker", () => {
  const item = (id: string, words: string, note = "") => ({
    id,
    mark: "S",
    text: words,
    note,
    isNow: id === "init:1000",
  });
  const picker = newPicker("process", [
    item("init:1000", "personal"),
    item("task:k3", "docs audit"),
    item("task:m9", "dead links", "waits for you: Fetch"),
  ]);
  const pressed = (keys: readonly string[], from: Picker = picker) =>
    keys.reduce((now, each) => onPickerKey(now, key(each)).picker, from);

  test("narrows by what is typed, in any order of words, and takes what is selected", () => {
    const typed = pressed([..."links dead"]);
    expect(onPickerKey(typed, key("\r")).wish).toEqual({ wish: "choose", id: "task:m9" });
    expect(onPickerKey(pressed(["↓"]), key("\r")).wish).toEqual({ wish: "choose", id: "task:k3" });
    expect(onPickerKey(pressed([..."zzz"]), key("\r")).wish).toBeNull();
  });

  test("ends a process only after a question, and makes a new one", () => {
    const asked = pressed(["↓", "^k"]);
    expect(onPickerKey(asked, key("y")).wish).toEqual({ wish: "end", id: "task:k3" });
    expect(onPickerKey(asked, key("\r")).wish).toBeNull();
    expect(onPickerKey(picker, key("^n")).wish).toEqual({ wish: "new" });
    expect(onPickerKey(newPicker("theme", []), key("^n")).wish).toBeNull();
  });

  test("stands in columns that do not move while it gets shorter, and fits every width", () => {
    const lines = (now: Picker, columns = 100) => pickerLines({ picker: now, theme: plain, columns, rowsMax: 9 }).lines;
    expect(text(lines(picker))).toBe(
      [
        "  go to process",
        "› 1  init:1000  S  personal    here",
        "  2  task:k3    S  docs audit",
        "  3  task:m9    S  dead links  waits for you: Fetch",
        "  enter go  alt-enter look  ctrl-n new  ctrl-k end  esc back",
      ].join("\n"),
    );
    expect(text(lines(pressed([..."fetch"])))).toContain("› 3  task:m9    S  dead links  waits for you: Fetch");
    for (const [columns] of SIZES)
      for (const { text: hostile } of HOSTILE) {
        const shown = lines(newPicker("model", [item(hostile, hostile, hostile)]), columns);
        for (const line of shown) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
        expect(actsIn(shown.join("\n"))).toBeNull();
      }
  });
});
