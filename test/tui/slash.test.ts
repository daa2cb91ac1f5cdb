// The menu of slash commands while one is typed.

import { expect, test } from "bun:test";
import { SLASHES, slashMenu } from "../../tui/line/slash.ts";
import { Played } from "../support/played.ts";

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
  await played.type("\x1b[A\r");
  await played.until(/^\$ help/m);
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
