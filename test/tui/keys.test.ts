// Bytes of a terminal as keys: whole, in pieces, and reports that are no keys.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Keyboard } from "../../tui/line/keyboard.ts";
import { KeyReader, type Typed } from "../../tui/line/keys.ts";
import { FakeClock } from "../support/clock.ts";

function said(...chunks: string[]): string[] {
  const reader = new KeyReader();
  const typed = chunks.flatMap((chunk) => [...reader.push(Buffer.from(chunk))]);
  return [...typed, ...reader.settle()].map(shown);
}

function shown(typed: Typed): string {
  if (typed.type === "paste") return `paste(${typed.text})`;
  if (typed.type === "focus") return `focus(${typed.has})`;
  if (typed.type === "cursor") return `place(${typed.row} ${typed.column})`;
  const held = (["ctrl", "alt", "shift"] as const).filter((name) => typed[name]).map((name) => `${name}-`);
  return `${held.join("")}${typed.name === "text" ? typed.text : typed.name}`;
}

test.each([
  ["ps\r", ["ps", "enter"]],
  ["héllo 中文 👩‍👩‍👧", ["héllo 中文 👩‍👩‍👧"]],
  ["\x03\x04\x1a\x12\x17\x1f", ["ctrl-c", "ctrl-d", "ctrl-z", "ctrl-r", "ctrl-w", "ctrl-_"]],
  ["\x1b[A\x1bOB\x1b[1;5C\x1b[1;3D\x1b[H\x1b[4~", ["up", "down", "ctrl-right", "alt-left", "home", "end"]],
  ["\x1bb\x1b\r\x1b\x7f", ["alt-b", "alt-enter", "alt-backspace"]],
  ["\x1b[13;2u\x1b[27;2;13~\x1b[99;5u\x1b[Z", ["shift-enter", "shift-enter", "ctrl-c", "shift-tab"]],
  ["\x1b[57414u\x1b[57441;2u", ["enter"]],
  ["\x7f\x08\x1b[3~\x1b[5~", ["backspace", "ctrl-h", "delete", "pageup"]],
  ["\x1b", ["escape"]],
  ["\x1b\x1b[A", ["escape", "up"]],
  ["\x1b[I\x1b[O", ["focus(true)", "focus(false)"]],
])("%j", (bytes, keys) => expect(said(bytes)).toEqual(keys));

test("answers of the terminal and mouse reports are never typed", () => {
  const answers =
    "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1bP>|xterm(390)\x1b\\\x1b[?62;22c\x1b[?2026;2$y\x1b[<0;3;4M\x1b[12;40R\x1b_Gi=1\x1b\\";
  expect(said(`a${answers}b`)).toEqual(["a", "place(11 39)", "b"]);
});

test("a paste is one event, and neither keys nor line ends in it count as keys", () => {
  expect(said("\x1b[200~rm -rf /\r\nls\x1b[A\x03\x1b[201~x")).toEqual(["paste(rm -rf /\nls\x1b[A\x03)", "x"]);
});

test("a stream of keys that is cut anywhere gives the same keys", () => {
  const stream = "ab\x1b[1;5Cé中\x1b[200~one\rtwo\x1b[201~\x1b]11;rgb:0/0/0\x07\x1bb\r";
  const whole = said(stream);
  const bytes = Buffer.from(stream);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
      const reader = new KeyReader();
      const ends = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
      const typed = ends.slice(1).flatMap((end, index) => [...reader.push(bytes.subarray(ends[index], end))]);
      // Text comes as it comes; its pieces together are what was typed.
      const joined = [...typed, ...reader.settle()]
        .map(shown)
        .join("|")
        .replace(/(?<=[ab中é])\|(?=[b中é])/g, "");
      expect(joined).toBe(whole.join("|"));
    }),
  );
});

test("an unfinished escape sequence is given up, and later keys are kept", () => {
  expect(said("\x1b]", "x".repeat(9000), "\r").at(-1)).toBe("enter");
});

test("more than three lines at once are one paste, also without brackets and in pieces; fewer are lines", async () => {
  const clock = new FakeClock();
  const typed: string[] = [];
  const keyboard = new Keyboard(
    clock,
    (key) => typed.push(shown(key)),
    () => {},
  );
  const hear = (text: string) => keyboard.read(Buffer.from(text));
  hear("one\rtwo\rthree\r");
  expect(typed.splice(0)).toEqual(["one", "enter", "two", "enter", "three", "enter"]);
  hear("one\rtwo\r\tthree\rfour ");
  await clock.advance(40);
  hear("more\r");
  await clock.advance(40);
  expect(typed).toEqual([]);
  await clock.advance(10);
  expect(typed.splice(0)).toEqual(["paste(one\ntwo\n\tthree\nfour more\n)"]);
  hear("one\rtwo\rthree\rfour");
  hear("\x03");
  expect(typed.splice(0)).toEqual(["paste(one\ntwo\nthree\nfour)", "ctrl-c"]);
  hear("\x1b[200~one\rtwo\rthree\rfour\x1b[201~x");
  expect(typed).toEqual(["paste(one\ntwo\nthree\nfour)", "x"]);
});
