// Titles, marks and notifications, and what can be switched off.

import { expect, test } from "bun:test";
import { abilitiesOf, notificationBytes, withAsciiGlyphs } from "../../tui/screen/abilities.ts";
import { said } from "../support/chat.ts";
import { Played } from "../support/played.ts";

const titles = (played: Played) =>
  [...played.writes.join("").matchAll(/\x1b\]2;([^\x1b]*)\x1b\\/g)].map(([, title]) => title);
const bells = (played: Played) => played.writes.join("").split("\x07").length - 1;
const LEFT = "\x1b[O";

test("marks tell the terminal where each prompt and its output begin, and how it ended", async () => {
  const played = await Played.open();
  await played.type(", why?\r");
  await played.play(said.start(), said.text("Because."), said.complete("ok"));
  await played.type(", again?\r");
  await played.play(said.start(), said.complete("error", null, { error: "no model" }));
  await played.type(", more\r");
  const marks = [...played.writes.join("").matchAll(/\x1b\]133;([^\x1b]*)\x1b\\/g)].map(([, mark]) => mark);
  expect(marks).toEqual(["A", "B", "C", "D;0", "A", "B", "C", "D;1", "A", "B", "C"]);
  expect(played.text()).toContain("› why?");
  await played.leave();
});

test("the title names the process and its state, in gsv's own words only", async () => {
  const played = await Played.open({
    prepare: ({ fakeSys }) => fakeSys.answer("proc.model", () => ({ answers: "evil\x07" })),
  });
  await played.play(said.start({ model: "other" }), said.hil({ tool: "Evil" }), said.closed(), said.complete("ok"));
  expect(titles(played)).toEqual([
    "gsv init:1000",
    "gsv init:1000: working",
    "? gsv init:1000: waits for you",
    "gsv init:1000: working",
    "gsv init:1000",
  ]);
  await played.leave();
});

const AWAY_MS = 250;

test("a window without focus gets one notification for a request and one for the end of a long run", async () => {
  const played = await Played.open();
  await played.play(said.start(), said.hil(), said.closed());
  await played.settle(20_000);
  await played.play(said.complete("ok"));
  expect(bells(played)).toBe(0);
  await played.type(LEFT);
  await played.play(said.start(), said.hil());
  // A moment later: another terminal might have the focus.
  await played.settle(AWAY_MS);
  expect(bells(played)).toBe(1);
  await played.play(said.closed(), said.complete("ok"));
  expect(bells(played)).toBe(1);
  await played.play(said.start());
  await played.settle(20_000);
  await played.play(said.complete("ok"));
  await played.settle(AWAY_MS);
  expect(bells(played)).toBe(2);
  await played.type("\x1b[I");
  await played.play(said.start(), said.hil({ id: "zzzz" }));
  expect(bells(played)).toBe(2);
  await played.leave();
});

test("notifications can be switched off", async () => {
  const played = await Played.open({
    prepare: ({ fakeSys }) =>
      fakeSys.answer("config.get", ({ key }: { key: string }) => ({
        shown: key === "terminal.notify" ? "off" : "full",
      })),
  });
  await played.type(LEFT);
  await played.play(said.start(), said.hil());
  expect(bells(played)).toBe(0);
  await played.leave();
});

test("each terminal gets its own kind of notification, tmux only a bell", () => {
  const bytes = (env: Record<string, string>) =>
    notificationBytes(abilitiesOf({ TERM: "xterm-256color", ...env }).notifies, "words");
  expect(bytes({ TERM_PROGRAM: "WezTerm" })).toBe("\x1b]9;gsv: words\x1b\\");
  expect(bytes({ TERM: "xterm-kitty" })).toBe("\x1b]99;i=gsv;gsv: words\x1b\\");
  expect(bytes({ TERM: "foot" })).toBe("\x1b]777;notify;gsv;words\x1b\\");
  expect(bytes({ TERM: "xterm-kitty", TMUX: "/tmp/x" })).toBe("\x07");
  expect(bytes({})).toBe("\x07");
});

test("the environment decides what the terminal can do", () => {
  expect(abilitiesOf({ TERM: "dumb" })).toMatchObject({ dumb: true, colour: false, osc: false });
  expect(abilitiesOf({ TERM: "xterm", NO_COLOR: "1" })).toMatchObject({ dumb: false, colour: false, unicode: true });
  expect(abilitiesOf({ TERM: "xterm", NO_COLOR: "1", FORCE_COLOR: "1" }).colour).toBe(true);
  expect(abilitiesOf({ TERM: "xterm", LANG: "C" }).unicode).toBe(false);
  expect(abilitiesOf({ TERM: "xterm", LANG: "C", LC_ALL: "de_DE.UTF-8" }).unicode).toBe(true);
  expect(abilitiesOf({ TERM: "linux" }).osc).toBe(false);
});

test("gsv writes no links, takes no mouse and never touches the clipboard", async () => {
  const played = await Played.open();
  await played.type(", go\r");
  await played.play(
    said.start(),
    said.text("[a link](https://example.org) and https://example.org"),
    said.complete("ok"),
  );
  const bytes = played.writes.join("");
  expect(bytes).not.toMatch(/\x1b\]8;|\x1b\[\?100[0236]h|\x1b\]52/);
  expect(played.text()).toContain("a link (https://example.org)");
  await played.leave();
});

test("with reduced motion nothing spins, and the activity is still shown", async () => {
  const played = await Played.open({
    prepare: ({ fakeSys }) =>
      fakeSys.answer("config.get", ({ key }: { key: string }) => ({
        shown: key === "terminal.motion" ? "reduced" : "off",
      })),
  });
  await played.type(", go\r");
  await played.play(said.start());
  const [before, count] = [played.text(), played.writes.length];
  await played.settle(900);
  expect(played.text()).toBe(before);
  expect(played.writes.length).toBe(count);
  expect(before).toMatch(/^· thinking {2}0 s/m);
  await played.leave();
});

test("in an ASCII locale every glyph of gsv is ASCII of the same width", async () => {
  const played = await Played.open({ unicode: false });
  await played.play(said.start(), said.text("- one\n- two\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |"), said.hil());
  await played.play(said.call("Read", { path: "a\u202eb" }), said.result(true, "x"), said.complete("ok"));
  await played.type("?");
  await played.type("x\x14");
  await played.until(/^PID/m);
  expect(played.writes.join("").replace(/\x1b\[[^a-zA-Z]*[a-zA-Z]|\x1b\][^\x1b]*\x1b\\|[\r\n\x07]/g, "")).toMatch(
    /^[ -~]*$/,
  );
  await played.type("q");
  await played.leave();
  const writes: string[] = [];
  const tty = { write: (text: string) => void writes.push(text), columns: 80, rows: 24 };
  withAsciiGlyphs(tty).write("├ a … ⟨U+202E⟩ 日本 é");
  expect(writes).toEqual(["| a ~ <U+202E> 日本 é"]);
});
