// The live part of the screen: parts drawn for an older state are never shown again.

import { expect, test } from "bun:test";
import { EMPTY, withText } from "../../tui/line/editor.ts";
import { Frame, type FrameOptions } from "../../tui/screen/frame.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import { initialState, noticed, type State, set } from "../../tui/state/state.ts";

const who = { uid: 1000, username: "ada", home: "/home/ada" } as State["who"];
const FIRST = initialState({ who, pid: "init:1000" });
const run = { runId: "r", doing: "writing", what: "", since: 0, sinceDoing: 0, chars: 400 } as const;
const waiting = (text: string) => [{ key: "k", runId: null, text, fate: "after" }] as const;
const typing = (text: string) => set(FIRST, "line", { input: withText(EMPTY, text) });

const CHANGED: readonly State[] = [
  set(FIRST, "line", { cwd: "/tmp" }),
  set(FIRST, "process", { pid: "task:x" }),
  set(FIRST, "process", { model: "some/model" }),
  set(FIRST, "process", { context: { tokens: 900, windowTokens: 1000, compactsAtTokens: 950 } }),
  set(FIRST, "process", { costUsd: 1.25 }),
  set(FIRST, "line", { pinned: "shell" }),
  set(FIRST, "process", { readOnly: true }),
  set(FIRST, "overlay", { keysShown: true }),
  set(FIRST, "asking", { lineAnswers: "a" }),
  set(FIRST, "process", { standIn: { of: "one", model: "other", class: "network" } }),
  set(FIRST, "chat", { waiting: waiting("later") }),
  noticed(FIRST, "heard", 0),
  typing("hello there, all of you"),
  set(FIRST, "chat", { run }),
  set(FIRST, "chat", { run: { ...run, chars: 8000 } }),
];

const THEME = themeOf({ colour: false, unicode: true });
const DOCK: FrameOptions["drawDock"] = ({ queued, status, notice }) => [...queued, `${status} ${notice}`];

function drawn(frame: Frame, state: State, now = 1000, columns = 80) {
  const options = { state, theme: THEME, now, columns, rows: 24, tail: ["  so far"] };
  return frame.draw({ ...options, programs: () => false, drawDock: DOCK });
}

test("each change is shown with the next paint, and gone with its end", () => {
  const frame = new Frame();
  for (const changed of CHANGED) {
    for (const state of [changed, FIRST]) expect(drawn(frame, state)).toEqual(drawn(new Frame(), state));
    expect(drawn(frame, changed)).not.toEqual(drawn(frame, FIRST));
  }
});

test("parts that depend on the time or the size of the terminal are drawn again", () => {
  const frame = new Frame();
  const noticing = noticed(FIRST, "heard", 0);
  expect(drawn(frame, noticing, 1000).lines.join("\n")).toContain("heard");
  expect(drawn(frame, noticing, 9000).lines.join("\n")).not.toContain("heard");
  const long = set(FIRST, "chat", { waiting: waiting("word ".repeat(30)) });
  expect(drawn(frame, long, 0, 80)).not.toEqual(drawn(frame, long, 0, 40));
});

test("a half-typed slash command shows the commands that it may become, with summaries", () => {
  const text = (line: string, keysShown = false) =>
    drawn(new Frame(), set(typing(line), "overlay", { keysShown })).lines.join("\n");
  expect(text("/co")).toMatch(/\/context +\S*show what fills the context/);
  expect(text("/")).toMatch(/and \d+ more/);
  expect(text("/context")).not.toContain("fills");
  expect(text("/proc")).not.toContain("show");
  expect(text("/co", true)).not.toMatch(/\/context {4}.*\n.*\/context/);
});
