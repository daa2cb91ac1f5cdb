// The menu of slash commands while one is typed.

import { expect, test } from "bun:test";
import { SLASHES, slashMenu } from "../../tui/line/slash.ts";

const named = (typed: string) => slashMenu(typed)?.candidates.map(({ text }) => text.trim()) ?? null;

test("a slash offers all commands, and letters those that begin with them", () => {
  expect(named("/")).toEqual([...SLASHES.keys()].map((name) => `/${name}`));
  expect(named("/co")).toEqual(["/compact", "/context", "/cost"]);
  expect(slashMenu("/go")).toBeNull();
  for (const typed of ["", "x", "/proc", "/proc/", "/go on", "/go ", " /co", "/co\nx", "/CO"])
    expect(named(typed)).toBeNull();
});
