// Slash commands: the menu while one is typed, and the place of a process in top.

import { expect, test } from "bun:test";
import { SLASHES, slashMenu } from "../../tui/line/slash.ts";
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
