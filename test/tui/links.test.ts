// Paths in answers as links to files of this computer: only to files that exist inside the directory of the process.

import { beforeEach, describe, expect, test } from "bun:test";
import { abilitiesOf } from "../../tui/screen/abilities.ts";
import { type Line, Links, linkPlace, plainLine } from "../../tui/screen/links.ts";
import { addressOf, type LinkPlace, pathsIn } from "../../tui/screen/named-paths.ts";
import { FakeClock } from "../support/clock.ts";
import { Shown } from "../support/shown.ts";

const PLACE: LinkPlace = { real: "/home/sam/app", at: "/workspaces/dir_k3x9qa", cwd: "/home/sam/app/src" };
const linkTo = (path: string, text: string) => `\x1b]8;;file://box${path}\x1b\\${text}\x1b]8;;\x1b\\`;

describe("paths in a line", () => {
  const found = (line: string) =>
    pathsIn(line, PLACE, "/home/sam").map(({ start, end, path }) => [line.slice(start, end), path]);

  test.each([
    ["See x.ts.", "x.ts", "/home/sam/app/src/x.ts"],
    ["src/x.ts:12 fails", "src/x.ts", "/home/sam/app/src/src/x.ts"],
    ["(../add.js)", "../add.js", "/home/sam/app/add.js"],
    ["/home/sam/app/add.js:3:7,", "/home/sam/app/add.js", "/home/sam/app/add.js"],
    ["~/app/add.js", "~/app/add.js", "/home/sam/app/add.js"],
    ["in /workspaces/dir_k3x9qa/add.js", "/workspaces/dir_k3x9qa/add.js", "/home/sam/app/add.js"],
    ["über/naïve.md", "über/naïve.md", "/home/sam/app/src/über/naïve.md"],
    ["a.ts/", "a.ts", "/home/sam/app/src/a.ts"],
  ])("%p names %p", (line, text, path) => {
    expect(found(line)).toEqual([[text, path]]);
  });

  test.each([
    "no path here",
    "https://example.com/x.ts",
    "/etc/passwd",
    "../../../etc/passwd",
    "/home/sam/app/../secret.txt",
    "/home/sam/app-2/x.ts",
    "~/.ssh/id_rsa",
    "/home/sam/app",
    "x.ts(1)",
    `${"a/".repeat(200)}x.ts`,
  ])("%p names nothing inside the directory", (line) => {
    expect(found(line)).toEqual([]);
  });
});

let clock: FakeClock;
let links: Links;
let looked: string[];
let answer: (path: string) => Promise<string | null>;
let changes: number;

beforeEach(() => {
  clock = new FakeClock();
  looked = [];
  changes = 0;
  answer = async (path) => (path.includes("gone") ? null : path.includes("out") ? "/etc/passwd" : path);
  links = new Links({
    ...{ clock, host: "box", home: "/home/sam", changed: () => void changes++ },
    realOf: async (path) => {
      looked.push(path);
      return await answer(path);
    },
  });
  links.isOn = true;
  links.place = PLACE;
});

async function final(text: string): Promise<Line | null> {
  const line = links.line(text);
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return typeof line === "string" ? line : line.final();
}

test("an existing file becomes a link, whatever colours are around it; one that is gone or leads out does not", async () => {
  const [from, to] = ["\x1b[36m", "\x1b[39m"];
  expect(await final(`see ${from}x.ts${to}, gone.ts, out.ts and y.ts`)).toBe(
    `see ${from}${linkTo("/home/sam/app/src/x.ts", "x.ts").replace("\x1b]8;;\x1b\\", `${to}\x1b]8;;\x1b\\`)}, gone.ts, out.ts and ${linkTo("/home/sam/app/src/y.ts", "y.ts")}`,
  );
});

test("links change neither the text nor its width, and an address has nothing but the path", async () => {
  const line = "- 日本/é.md and a b/x y.ts, plus \x1b[1mx.ts\x1b[22m";
  const linked = await final(line);
  expect(linked).toContain("\x1b]8;;file://box/");
  expect(Bun.stringWidth(String(linked))).toBe(Bun.stringWidth(line));
  expect(Bun.stripANSI(String(linked))).toBe(Bun.stripANSI(line));
  expect(addressOf("/a b/%/ü\x1b]8;;x\x07", "box")).toBe("file://box/a%20b/%25/%C3%BC%1B%5D8%3B%3Bx%07");
  expect(addressOf("/a", "evil/..@x")).toBe("file:///a");
});

test("a path is looked up once for many lines, few at a time, and again after a while", async () => {
  for (let at = 0; at < 50; at++) await final("x.ts");
  expect(looked).toEqual(["/home/sam/app/src/x.ts"]);
  await clock.advance(3000);
  await final("x.ts");
  expect(looked).toHaveLength(2);
  answer = () => new Promise(() => {});
  for (let at = 0; at < 500; at++) links.line(`f${at}.ts`);
  expect(looked.length).toBeLessThanOrEqual(2 + 32);
});

test("without a directory, or turned off, nothing is looked up", async () => {
  links.place = null;
  expect(await final("x.ts")).toBe("x.ts");
  links.place = linkPlace(null, { workspaceId: "ws_k3x9qa", cwd: "/workspaces/ws_k3x9qa" });
  expect(await final("x.ts")).toBe("x.ts");
  links.place = linkPlace("/home/sam/app", { workspaceId: "dir_k3x9qa", cwd: "/workspaces/dir_k3x9qa/src" });
  expect(links.place).toEqual(PLACE);
  links.isOn = false;
  expect(await final("x.ts")).toBe("x.ts");
  expect(looked).toEqual([]);
});

test("a line that waits for a slow disk is on the screen, keeps its order, and is written once", async () => {
  const shown = new Shown(40, 20);
  let ends: (path: string | null) => void = () => {};
  answer = () => new Promise((resolve) => (ends = resolve));
  shown.live("status", "> ");
  shown.screen.commit(["one", links.line("see x.ts"), "two"]);
  expect(await shown.painted()).toEqual(["one", "see x.ts", "two", "status", ">"]);
  shown.screen.paint();
  expect(shown.writes.join("")).not.toContain("\x1b]8;");
  ends("/home/sam/app/src/x.ts");
  await Promise.resolve();
  await Promise.resolve();
  expect(changes).toBeGreaterThan(0);
  shown.screen.paint();
  expect(shown.writes.join("")).toContain(linkTo("/home/sam/app/src/x.ts", "x.ts"));
  expect(await shown.painted()).toEqual(["one", "see x.ts", "two", "status", ">"]);
});

test("a disk that never answers costs a line its links and nothing else; a program that takes the screen waits for none", async () => {
  const shown = new Shown(40, 20);
  answer = () => new Promise(() => {});
  const [first, second] = [links.line("see x.ts"), links.line("see y.ts")];
  expect([plainLine(first), plainLine(second)]).toEqual(["see x.ts", "see y.ts"]);
  shown.live("> ");
  shown.screen.commit([first]);
  shown.screen.release();
  expect(await shown.painted()).toEqual(["see x.ts", ""]);
  await clock.advance(2500);
  expect(typeof second === "string" ? null : second.final()).toBe("see y.ts");
});

test("terminals that show links are known by their environment, and no other gets one", () => {
  const shows = (env: object) => abilitiesOf({ TERM: "xterm-256color", ...env }).links;
  for (const TERM_PROGRAM of ["iTerm.app", "WezTerm", "ghostty", "vscode"]) expect(shows({ TERM_PROGRAM })).toBe(true);
  for (const TERM of ["xterm-kitty", "xterm-ghostty", "foot", "alacritty"]) expect(shows({ TERM })).toBe(true);
  expect(shows({ VTE_VERSION: "7600" })).toBe(true);
  expect(shows({ VTE_VERSION: "4800" })).toBe(false);
  expect(shows({ TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.4" })).toBe(true);
  expect(shows({ TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.2a" })).toBe(false);
  expect(shows({ STY: "x", VTE_VERSION: "7600" })).toBe(false);
  for (const env of [
    {},
    { TERM_PROGRAM: "Apple_Terminal" },
    { TERM: "linux" },
    { TERM: "dumb", TERM_PROGRAM: "WezTerm" },
  ])
    expect(shows(env)).toBe(false);
});
