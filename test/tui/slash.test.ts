// Slash commands: the menu while one is typed, and the place of a process in top.

import { expect, test } from "bun:test";
import { ownLine, SLASHES, slashMenu } from "../../tui/line/slash.ts";
import { initialState } from "../../tui/state/state.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

const named = (typed: string) => slashMenu(typed)?.candidates.map(({ text }) => text.trim()) ?? null;

test("a slash offers all commands, and letters those that begin with them", () => {
  expect(named("/")).toEqual([...SLASHES.keys()].map((name) => `/${name}`));
  expect(named("/co")).toEqual(["/compact", "/context", "/cost"]);
  expect(slashMenu("/go")).toBeNull();
  for (const typed of ["", "x", "/proc", "/proc/", "/go on", "/go ", " /co", "/co\nx", "/CO"])
    expect(named(typed)).toBeNull();
});

test("the arrows choose in the menu, and enter completes an unfinished name before it runs anything", async () => {
  const played = await Played.open();
  await played.type("/");
  await played.type("\x1b[B\x1b[B");
  await played.until(/^\$ \/keys/m);
  await played.type("\x1b[A");
  await played.until(/^\$ \/help/m);
  await played.type("\x1b[B\r");
  await played.until(/send or run/);
  await played.type("\x1b");
  await played.until(() => !played.text().includes("send or run"));
  await played.type("/the\r");
  await played.until(/^\$ \/theme *$/m);
  await played.type("\x03/\r");
  await played.until(/^\$ \/help *$/m);
  await played.leave();
});

test("the arrows leave a recalled command for the lines before it", async () => {
  const played = await Played.open({ history: ["echo one", "/mode"] });
  await played.type("\x1b[A");
  await played.until(/^\$ \/mode/m);
  await played.type("\x1b[A");
  await played.until(/^\$ echo one/m);
  await played.leave();
});

test("top shows an attached directory by its path on this computer", async () => {
  const cwd = "/workspaces/dir_kvoyqq/docs";
  const played = await Played.open({
    prepare({ fakeSys }) {
      fakeSys.answer("proc.list", () => ({ processes: [processInfo({ cwd })], next: null }));
      fakeSys.answer("workspace.list", () => ({ workspaces: [{ id: "dir_kvoyqq", directory: "/srv/shop" }] }));
    },
  });
  await played.type("\x14");
  await played.until(/CWD[\s\S]*\/srv\/shop\/docs/);
  await played.type("q");
  await played.leave();
});

test.each([
  ["history show | tail", "history show --pid task:abc123 | tail"],
  ["history show --limit 2|tail -1", "history show --pid task:abc123 --limit 2|tail -1"],
  ["logs 2>&1 | grep 'a|b'", "logs task:abc123 2>&1 | grep 'a|b'"],
  ["diff > ~/out", "diff task:abc123 > ~/out"],
  ["logs init:1000 | tail", null],
  ["history show --pid init:1000 | tail", null],
  ["echo 'history show' | tail", null],
  ["diff a b | tail", null],
])("in a pipe too, a command without a process means the attached one: %s", (line, run) => {
  const state = initialState({ who: { username: "sam", uid: 1000, home: "/home/sam" }, pid: "task:abc123" });
  const effects = ownLine(state, line)?.effects ?? [];
  expect(effects.flatMap((effect) => (effect.do === "run" ? [effect.text] : []))).toEqual(run === null ? [] : [run]);
  if (run !== null) expect(JSON.stringify(effects)).toContain(JSON.stringify(`${line}`).slice(1, -1));
});
