// An answer that is pressed on an empty line: the beginning of a sentence is none, and nothing is taken before it can be taken back.

import { expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import { said } from "../support/chat.ts";
import { Played } from "../support/played.ts";

const DELETE: Partial<SignalOf<"chat.hil">> = { id: "gone", args: { path: "~/a.md" }, why: "delete ~/a.md" };
const EDIT: typeof DELETE = { id: "edit", tool: "Write", call: "fs.write", args: { path: "~/b.md", content: "b" } };
/** Beyond the first moments of a card. */
const READ_MS = 450;

async function played(): Promise<Played> {
  const shell = await Played.open();
  shell.io.fakeSys.answer("hil.answer", () => ({}));
  return shell;
}

function answers({ io }: Played): readonly object[] {
  return io.fakeSys.asked("hil.answer");
}

test("a letter that another follows is the beginning of a sentence, at the pace people type", async () => {
  const shell = await played();
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

test("what is pressed is shown as chosen, stands when nothing follows, and can be taken back until then", async () => {
  const shell = await played();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  for (const back of ["\x7f", "\x1b"]) {
    await shell.type("y");
    expect(shell.text()).toContain("  y …   esc takes it back");
    await shell.type(back);
    await shell.settle(READ_MS);
    expect(shell.text()).toContain("  y once   a always");
  }
  await shell.type("n");
  await shell.type("\x1b[D");
  await shell.settle(READ_MS);
  expect(answers(shell)).toEqual([]);
  await shell.type("y");
  // Enter is no answer, and hurries none.
  await shell.type("\r");
  expect(answers(shell)).toEqual([]);
  await shell.settle(READ_MS);
  expect(answers(shell)).toMatchObject([{ id: "gone", decision: "approve" }]);
  await shell.leave();
});

test("tab gives the keys to the card: there they act at once, and a card that closes takes what was pressed with it", async () => {
  const shell = await played();
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
