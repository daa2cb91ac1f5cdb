// The text of an answer in a pipe.

import { beforeEach, describe, expect, test } from "bun:test";
import { Chat, said } from "../support/chat.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

describe("an answer in a pipe", () => {
  test("ends with one newline, however many the model sends, and keeps inner ones", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.text("a\n\n\nb\n\n\n"), said.text("c\n\n", { seq: 3 }), said.complete("ok", "c\n\n"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("a\n\n\nb\nc\n");
  });

  test("is one write including its newline: several writers may share a pipe", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.text("a\nb"), said.complete("ok", "a\nb"));
    expect(await exit).toBe(0);
    expect(chat.io.stdout.pieces.map(String)).toEqual([String(Buffer.from("a\nb\n"))]);
  });

  const coloured = "\x1b[31mred\x1b[0m\x1b]52;c;eHg=\x07 \u200dé\u00ad\r\n\tx\x07\x9b2J";
  test.each([
    [[], "red \u200dé\u00ad\r\n\tx\n"],
    [["--raw"], `${coloured}\n`],
  ] as const)(
    "%j contains no escape sequences of the model unless requested, and everything else",
    async (flags, wanted) => {
      const { exit } = await chat.begin(...flags, "--stream", "hi");
      for (const char of coloured) await chat.play(said.delta(char));
      await chat.play(said.text(coloured), said.complete("ok", coloured));
      expect(await exit).toBe(0);
      expect(chat.out).toBe(wanted);
    },
  );

  test("without visible text is reported on stderr", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.text("\x1b[2J"), said.complete("ok", "\x1b[2J"));
    expect(await exit).toBe(0);
    expect([chat.out, chat.err]).toEqual(["", expect.stringContaining("no printable text")]);
  });

  test("is not torn by a lost connection to a remote kernel, which is a line on stderr", async () => {
    chat.io.remotes.server = { name: "box", url: "https://box.example" };
    const { exit } = await chat.begin("hi");
    chat.io.remotes.hear("lost");
    chat.io.remotes.hear("back");
    await chat.play(said.text("done"), said.complete("ok", "done"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("done\n");
    expect(chat.err).toContain("gsv: connection to box lost, retrying\ngsv: connected to box again\n");
  });
});
