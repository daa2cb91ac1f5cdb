// Views of the terminal: what keys make of them, and what stands on the screen, at every size.

import { describe, expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import type { TraceRow } from "../../src/syscalls/services.ts";
import { pickerLines } from "../../tui/draw/picker.ts";
import { straceLines } from "../../tui/draw/strace.ts";
import { topLines } from "../../tui/draw/top.ts";
import type { Ask } from "../../tui/state/asks.ts";
import type { Picker, Strace, Top } from "../../tui/state/views.ts";
import { ListPace } from "../../tui/views/list-pace.ts";
import { newPicker, onPickerKey } from "../../tui/views/picker.ts";
import { newStrace, onStraceKey, selectedAt, shownCalls, withCalls } from "../../tui/views/strace.ts";
import { NEW_TOP, onTopKey, rateOf, rowsOf, toLookAt, withDelta } from "../../tui/views/top.ts";
import { said } from "../support/chat.ts";
import { HOSTILE } from "../support/hostile-text.ts";
import { actsIn } from "../support/inert.ts";
import { processInfo } from "../support/process-info.ts";
import { expectScreen, key, plain, SIZES, text } from "../support/view.ts";

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

  test("follows the newest call until the selection moves up, and again from the end down", () => {
    expect(selected(strace)).toBe(3);
    expect(selected(withCalls(strace, [call(4, "fs.write")]))).toBe(4);
    const still = pressed("k");
    expect(selected(withCalls(still, [call(4, "fs.write")]))).toBe(2);
    expect(selected(withCalls(pressed("jj", still), [call(4, "fs.write")]))).toBe(4);
  });

  test("e shows failed calls, / filters, and the selection stays with its call", () => {
    expect(shownCalls(pressed("e")).map(({ id }) => id)).toEqual([2]);
    expect(shownCalls(pressed("/bun\r")).map(({ id }) => id)).toEqual([3]);
    expect(shownCalls(pressed("/zzz\r"))).toEqual([]);
    expect(shownCalls(pressed("/bun\x1b"))).toHaveLength(3);
    expect(shownCalls({ ...strace, expression: "!fs" }).map(({ id }) => id)).toEqual([2, 3]);
  });

  test("shows the process, the number of failures, and the selected call in full", () => {
    const lines = text(straceLines({ strace: pressed("\r"), theme: plain, columns: 100, rows: 30 }));
    expect(lines).toMatch(/^strace task:abc123 {2}docs audit {2}following +3 calls · 1 failed · 4\.2\d s$/m);
    expect(lines).toMatch(/net\.fetch +https:\/\/example\.org +EPERM/);
    expect(lines).toMatch(/› shell\.exec .*ok {2}4\.20 s/);
    expect(lines).toContain("command     bun test\n              ls");
    expect(lines).toMatch(/q close$/);
  });

  test("fits every size, and arguments are inert", () => {
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

  test("counts the output of all processes, for a few seconds", () => {
    const busy = withDelta(top, said.delta("x".repeat(100), { pid: "task:k3" }) as SignalOf<"chat.delta">, 1000);
    expect(rateOf(busy, "task:k3", 1500)).toBe(5);
    expect(rateOf(busy, "init:1000", 1500)).toBe(0);
    expect(rateOf(busy, null, 9000)).toBe(0);
    expect(text(topLines({ ...props(busy), now: 1500 }))).toMatch(/task:k3 +R +- +5 /);
  });

  test("among many processes looks only at those around the selection, and shows the same rows", () => {
    const many = Array.from({ length: 2000 }, (_, at) => processInfo({ pid: `task:${at}`, createdAt: at }));
    const selected = { ...NEW_TOP, processes: many, selected: "task:1000", asTree: false };
    const looks = Object.fromEntries(
      many.slice(900, 1100).map(({ pid }) => [pid, { activeAt: null, model: null, context: null }]),
    );
    expect(toLookAt({ ...selected, looks })).toEqual([]);
    expect(toLookAt({ ...selected, looks, sort: "context" })).toHaveLength(4);
    expect(toLookAt({ ...selected, looks: {} }).map(({ pid }) => pid)).toEqual(
      [940, 941, 942, 943].map((at) => `task:${at}`),
    );
    for (const at of [0, 1000, 1999]) {
      const lines = topLines(props({ ...selected, selected: `task:${at}` }));
      const shown = lines.flatMap((line) => /^ *task:(\d+) +S /.exec(Bun.stripANSI(line))?.[1] ?? []).map(Number);
      expect(shown.length).toBeGreaterThan(10);
      expect(shown).toEqual(Array.from({ length: shown.length }, (_, row) => (shown[0] ?? 0) + row));
      expect(shown).toContain(at);
    }
    expect(topLines(props(selected)).join("\n")).toContain("2000 processes");
  });

  test("sorts a tree or a list, and keeps the order for a moment after a key", () => {
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

  test("keys talk, show the log or calls, stop, abort the run, and kill after a question", () => {
    const command = (keys: string) => onTopKey(pressed(keys.slice(0, -1)), key(keys.at(-1) ?? ""), 0).command;
    expect(command("\r")).toEqual({ name: "talk", pid: "init:1000" });
    expect(command("↓l")).toEqual({ name: "log", pid: "task:k3" });
    expect(command("↓c")).toEqual({ name: "calls", pid: "task:k3" });
    expect(command("↓p")).toEqual({ name: "signal", pid: "task:k3", signal: "STOP" });
    expect(command("↓i")).toEqual({ name: "abort", pid: "task:k3" });
    expect(command("↓k")).toBeNull();
    expect(command("↓ky")).toEqual({ name: "kill", pid: "task:k3" });
    expect(command("↓kn")).toBeNull();
    // An init cannot be killed.
    expect(command("ky")).toBeNull();
    expect(text(topLines({ ...props(top), now: 0 }))).not.toContain("k kill");
    expect(text(topLines({ ...props(pressed("↓")), now: 0 }))).toContain("k kill");
    expect(command("↓↓y")).toEqual({ name: "answer", pid: "task:m9", letter: "y" });
    expect(command("↓y")).toBeNull();
  });

  test("shows cost, context and model of each process, and the whole request of the selected one", () => {
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
    expect(asking).toContain("? wants to delete a file  deletes ask first\n  | ~/x⟨U+202E⟩");
    expect(asking).toContain("y allow  n deny");
  });

  test("no row of a request begins with text of the agent", () => {
    const command = `echo ${"x".repeat(47)}${" ".repeat(40)}y allow  n deny, this is harmless ${"中".repeat(60)}`;
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

  test("fits every size with 200 processes, and labels are inert", () => {
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

  test("a notice stands beside the keys, and the key to close stays visible", () => {
    const about = { top, asks: [], notice: "task:k3 done", theme: plain, now: 10_000, rows: 20 };
    const foot = (columns: number) => Bun.stripANSI(topLines({ ...about, columns }).at(-1) ?? "");
    expect(foot(100)).toMatch(/^↑↓ move {2}enter talk.* q close +task:k3 done$/);
    expect(foot(40)).toMatch(/^enter talk {2}q close +task:k3 done$/);
    // Neither a long notice nor a long request replaces the keys.
    const ask = { ...said.hil({ pid: "task:m9", why: "run: one\ntwo\nthree\nfour\nfive" }), since: 0 } as Ask;
    const selected = { ...about, top: { ...top, selected: "task:m9" }, asks: [ask] };
    const notice = "the editor ended with status 1: the text is kept in /run/user/1000/gsv/draft";
    const lines = text(topLines({ ...selected, columns: 60, notice })).split("\n");
    expect(lines).toHaveLength(20);
    expect(lines.at(-1)).toMatch(/^enter talk {2}y allow {2}n deny {2}q close {2}the editor.*…$/);
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

  test("typing narrows the list, in any order of words, and enter takes the selected item", () => {
    const typed = pressed([..."links dead"]);
    expect(onPickerKey(typed, key("\r")).command).toEqual({ name: "choose", id: "task:m9" });
    expect(onPickerKey(pressed(["↓"]), key("\r")).command).toEqual({ name: "choose", id: "task:k3" });
    expect(onPickerKey(pressed([..."zzz"]), key("\r")).command).toBeNull();
  });

  test("kills a process only after a question, and starts a new one", () => {
    const asked = pressed(["↓", "^k"]);
    expect(onPickerKey(asked, key("y")).command).toEqual({ name: "kill", id: "task:k3" });
    expect(onPickerKey(asked, key("\r")).command).toBeNull();
    expect(onPickerKey(picker, key("^n")).command).toEqual({ name: "new" });
    expect(onPickerKey(newPicker("theme", []), key("^n")).command).toBeNull();
  });

  test("keeps its columns while typing narrows it, and fits every width", () => {
    const lines = (now: Picker, columns = 100) => pickerLines({ picker: now, theme: plain, columns, rowsMax: 9 }).lines;
    expect(text(lines(picker))).toBe(
      [
        "  switch to process",
        "› 1  init:1000  S  personal    here",
        "  2  task:k3    S  docs audit",
        "  3  task:m9    S  dead links  waits for you: Fetch",
        "  enter switch  alt-enter log  ctrl-n new  ctrl-k kill  esc close",
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

test("a list of a few processes is read each second, one that takes 300 ms every 6 seconds", () => {
  const readings = (ms: number) => {
    const pace = new ListPace();
    const at: number[] = [];
    for (let now = 0; now < 20_000; now += 1000) {
      if (pace.isResting(now)) continue;
      at.push(now);
      pace.took(now, now + ms);
    }
    return at;
  };
  expect(readings(10)).toHaveLength(20);
  expect(readings(300)).toEqual([0, 6000, 12_000, 18_000]);
});
