// The live part of the screen, from the state: what was drawn for another state before is not shown for this one.

import { expect, test } from "bun:test";
import { EMPTY, withText } from "../../tui/line/editor.ts";
import { type FrameOptions, frameOf } from "../../tui/screen/frame.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import { initialState, type State } from "../../tui/state/state.ts";

const who = { uid: 1000, username: "ada", home: "/home/ada" } as State["who"];
const FIRST = initialState({ who, pid: "init:1000", past: [] });
const run = { runId: "r", doing: "writing", what: "", since: 0, sinceDoing: 0, chars: 400 } as const;

/** Each is another one of what there is to see. */
const CHANGES: readonly Partial<State>[] = [
  { cwd: "/tmp" },
  { pid: "task:x" },
  { model: "some/model" },
  { context: { tokens: 900, windowTokens: 1000, compactsAtTokens: 950 } },
  { costUsd: 1.25 },
  { pinned: "shell" },
  { readOnly: true },
  { keysShown: true },
  { replying: "a" },
  { standIn: { of: "one", model: "other", class: "network" } },
  { waiting: [{ key: "k", runId: null, text: "later", fate: "after" }] },
  { notice: { text: "heard", until: 5000 } },
  { input: withText(EMPTY, "hello there, all of you") },
  { run },
  { run: { ...run, chars: 8000 } },
];

function drawn(state: State, theme: FrameOptions["theme"], now = 1000, columns = 80) {
  const route = () => ({ to: "nothing" }) as const;
  return frameOf({
    ...{ state, theme, now, columns, rows: 24, tail: ["  so far"], route },
    programs: () => false,
    drawDock: DOCK,
  });
}

const DOCK: FrameOptions["drawDock"] = ({ queued, status, notice }) => [...queued, `${status} ${notice}`];

test("each thing that changes is there at the next paint, and gone with it", () => {
  const theme = themeOf({ colour: false, unicode: true });
  for (const change of CHANGES) {
    for (const state of [{ ...FIRST, ...change }, FIRST]) {
      // What is drawn with a theme of its own was not drawn before.
      expect(drawn(state, theme)).toEqual(drawn(state, { ...theme }));
    }
    expect(drawn({ ...FIRST, ...change }, theme)).not.toEqual(drawn(FIRST, theme));
  }
});

test("what goes by the clock or the size of the terminal is not kept from the paint before", () => {
  const theme = themeOf({ colour: false, unicode: true });
  const told = { ...FIRST, notice: { text: "heard", until: 5000 } };
  expect(drawn(told, theme, 1000).lines.join("\n")).toContain("heard");
  expect(drawn(told, theme, 6000).lines.join("\n")).not.toContain("heard");
  const long: State = {
    ...FIRST,
    waiting: [{ key: "k", runId: null, text: "word ".repeat(30), fate: "after" }],
  };
  expect(drawn(long, theme, 0, 80)).not.toEqual(drawn(long, theme, 0, 40));
});

test("while a command of the terminal's own is typed, those it may become stand below it with what they do", () => {
  const theme = themeOf({ colour: false, unicode: true });
  const typing = (text: string, more: Partial<State> = {}) =>
    drawn({ ...FIRST, ...more, input: withText(EMPTY, text) }, theme).lines.join("\n");
  expect(typing("/co")).toMatch(/\/context +\S*what fills the next turn/);
  expect(typing("/")).toMatch(/and \d+ more/);
  expect(typing("/context")).not.toContain("what fills");
  expect(typing("/proc")).not.toContain("what");
  expect(typing("/co", { keysShown: true })).not.toMatch(/\/context {4}.*\n.*\/context/);
});
