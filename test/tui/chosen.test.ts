// An answer pressed on an empty line: the beginning of a sentence is no answer, and every answer can be cancelled for a moment.

import { expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import { answering, answers, READ_MS } from "../support/cards.ts";
import { said } from "../support/chat.ts";

const DELETE: Partial<SignalOf<"chat.hil">> = { id: "gone", args: { path: "~/a.md" }, why: "delete ~/a.md" };
const EDIT: typeof DELETE = { id: "edit", tool: "Write", call: "fs.write", args: { path: "~/b.md", content: "b" } };

test("a letter that another letter follows begins a sentence, at the pace people type", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  for (const words of ["yes but", "and then", "no way", "remove it", "else"]) {
    for (const letter of words) {
      await shell.type(letter);
      await shell.settle(150);
    }
    await shell.settle(READ_MS);
    expect(shell.text()).toEndWith(` ${words}`);
    await shell.type("\x15");
    await shell.settle(READ_MS);
  }
  await shell.type("y");
  await shell.type("\x1b[200~es, all\x1b[201~");
  expect(shell.text()).toEndWith("› yes, all");
  expect(answers(shell)).toEqual([]);
  await shell.leave();
});

test("a pressed answer is shown, holds if nothing follows, and can be cancelled until then", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  for (const back of ["\x7f", "\x1b"]) {
    await shell.type("y");
    expect(shell.text()).toContain("  y …   esc cancel");
    await shell.type(back);
    await shell.settle(READ_MS);
    expect(shell.text()).toContain("  y allow once   a always");
  }
  await shell.type("n");
  await shell.type("\x1b[D");
  await shell.settle(READ_MS);
  expect(answers(shell)).toEqual([]);
  await shell.type("y");
  // Enter is no answer and speeds none up.
  await shell.type("\r");
  expect(answers(shell)).toEqual([]);
  await shell.settle(READ_MS);
  expect(answers(shell)).toMatchObject([{ id: "gone", decision: "approve" }]);
  await shell.leave();
});

test("after tab the keys of the card act at once, and a card that closes drops the pressed answer", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  await shell.type("y");
  await shell.play({ ...said.closed(), id: "gone", by: "root" } as SignalOf<"chat.hil_closed">);
  await shell.play(said.hil(EDIT));
  await shell.settle(READ_MS);
  expect(answers(shell)).toEqual([]);
  await shell.type("\t");
  await shell.type("n");
  expect(answers(shell)).toMatchObject([{ id: "edit", decision: "deny" }]);
  await shell.leave();
});
