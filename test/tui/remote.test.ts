// The name of a remote kernel is always visible: in the status row, the title, the greeting and top.

import { expect, test } from "bun:test";
import { titleOf, wishText } from "../../tui/approval-card/approval-card-title.ts";
import { cardView } from "../../tui/approval-card/approval-card-view.ts";
import { topLines } from "../../tui/draw/top.ts";
import { Attention } from "../../tui/screen/attention.ts";
import { greeting } from "../../tui/screen/greeting.ts";
import { StatusRow } from "../../tui/screen/status.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import type { KeyContext } from "../../tui/state/key-context.ts";
import { reduce } from "../../tui/state/reduce.ts";
import { initialState } from "../../tui/state/state.ts";
import { NEW_TOP } from "../../tui/views/top.ts";
import { FakeClock } from "../support/clock.ts";

const theme = themeOf({ colour: false, unicode: true });
const plain = (text: string) => Bun.stripANSI(text);
const who = { username: "sam", uid: 1000, home: "/home/sam", remote: "box" };
const START = initialState({ who, pid: "init:1000" });
const CONTEXT: KeyContext = { ...({} as KeyContext), now: 0, route: (text) => ({ to: "chat", text }) };

test.each([[100], [40], [20]])("it begins the status row at %d columns", (columns) => {
  expect(plain(new StatusRow().draw(START, columns, theme))).toStartWith("box  ");
});

test("a lost connection stands beside it until the line is back", () => {
  const rows = new StatusRow();
  const cut = reduce(START, { type: "line", isCut: true }, CONTEXT).state;
  expect(plain(rows.draw(cut, 100, theme))).toStartWith("box reconnecting  ~");
  const failed = reduce(cut, { type: "notice", text: "the kernel was stopped", at: 0 }, CONTEXT).state;
  const back = reduce(failed, { type: "line", isCut: false }, CONTEXT).state;
  expect([failed.overlay.notice?.text, back.overlay.notice]).toEqual(["the kernel was stopped", null]);
  expect(plain(rows.draw(back, 100, theme))).toStartWith("box  ~");
});

test("while a line for its programs is typed, it says that this computer runs the line", () => {
  const typed = { ...START, line: { ...START.line, route: { to: "host", text: "make" } as const } };
  const rows = new StatusRow();
  expect(plain(rows.draw(typed, 100, theme))).toStartWith("box runs this line  ~");
  expect(plain(rows.draw(START, 100, theme))).toStartWith("box  ~");
  const cut = reduce(typed, { type: "line", isCut: true }, CONTEXT).state;
  expect(plain(rows.draw(cut, 100, theme))).toStartWith("box reconnecting  ~");
});

test("an ended login stands beside it instead, with the reason as a notice", () => {
  const cut = reduce(START, { type: "line", isCut: true }, CONTEXT).state;
  const { state } = reduce(cut, { type: "signed-out", text: "this login was revoked; sign in again", at: 0 }, CONTEXT);
  expect(plain(new StatusRow().draw(state, 100, theme))).toStartWith("box signed out  ~");
  expect(state.overlay.notice?.text).toBe("this login was revoked; sign in again");
});

test("the title of the terminal and the first line have it, inert", () => {
  const written: string[] = [];
  const attention = new Attention({
    write: (text) => written.push(text),
    ...{ notifies: "bell", desktop: null, hasTitle: true, clock: new FakeClock(), claim: async () => true },
  });
  const hostile = initialState({ who: { ...who, remote: "b\x07ox" }, pid: "init:1000" });
  attention.look(START, hostile, 0);
  expect(written.join("")).toMatch(/^\x1b\]2;gsv@b\S*ox init:1000\x1b\\$/);
  expect(written.join("")).not.toContain("\x07");
  const about = {
    version: "1.0.0",
    name: "init (sam)",
    model: null,
    isNew: true,
    isHere: false,
    columns: 100,
    rows: 40,
  };
  const lines = greeting({ ...about, username: "sam", remote: "box" }, theme).join("\n");
  expect(lines).toContain("sam@box");
  expect(lines).not.toContain("program of this computer");
});

test("a request names it as the computer of a command, not the one of the terminal", () => {
  const about = { target: "host", directory: "/srv", reasons: [], diff: null };
  const common = { kind: "approval", call: "shell.exec", hash: "", expiresAt: null, since: 0, label: null } as const;
  const ask = { ...common, id: "k3x9", pid: "init:1000", tool: "Shell", args: { command: "ls" }, why: "", about };
  expect(wishText(ask)).toBe("wants to run a command on this computer");
  expect(titleOf({ ...ask, name: "init", computer: "box" }, 80)).toBe("init wants to run on box: ls");
  const state = { ...START, asking: { ...START.asking, asks: [ask] } };
  const card = cardView(state, { theme, now: 0, columns: 80, rows: 20 });
  expect(JSON.stringify(card)).toContain("run on box");
});

test.each([
  ["mcp__github__create_issue", {}],
  ["mcp__call", { tool: "mcp.github.create_issue" }],
])("a request for %s names the MCP server and its tool", (tool, args) => {
  const common = { kind: "approval", call: "mcp.call", hash: "", expiresAt: null, since: 0, label: null } as const;
  const ask = { ...common, id: "k3x9", pid: "init:1000", tool, args, why: "", about: null };
  expect(wishText(ask)).toBe("wants to use create_issue of the MCP server github");
});

test("top has it in its title", () => {
  const lines = topLines({ top: NEW_TOP, asks: [], notice: "", remote: "box", theme, now: 0, columns: 80, rows: 20 });
  expect(plain(lines[0] ?? "")).toStartWith("top on box");
});
