// The list of ways to allow more on a card: a number picks one, `e` edits the marked one, escape closes the list, and Enter alone picks nothing.

import { expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import { answering, answers, press, READ_MS } from "../support/cards.ts";
import { said } from "../support/chat.ts";
import type { Played } from "../support/played.ts";
import { INSTALL } from "../support/scene-talk.ts";

async function shown(ask: Partial<SignalOf<"chat.hil">> = INSTALL): Promise<Played> {
  const shell = await answering();
  await shell.play(said.hil(ask));
  await shell.settle(READ_MS);
  return shell;
}

const ALWAYS = { id: "n4p2", decision: "approve", always: true };

test("`a` lists the exact line and its patterns, and a number allows one of them", async () => {
  const shell = await shown();
  expect(shell.text()).toContain("a allow more…");
  await press(shell, "a");
  expect(answers(shell)).toEqual([]);
  expect(shell.text()).toContain(
    ["    1 npm install lodash", "  › 2 npm install lodash *", "    3 npm install *", "    4 npm *"].join("\n"),
  );
  expect(shell.text()).toContain("from now on, run without asking in /home/sam/src/app:");
  expect(shell.text()).toContain("1-4 choose   e edit   esc back");
  await press(shell, "\r");
  await press(shell, "9");
  expect(answers(shell)).toEqual([]);
  await shell.leave();
  const again = await shown();
  await press(again, "a");
  await press(again, "3");
  expect(answers(again)).toMatchObject([{ ...ALWAYS, pattern: "npm install *" }]);
  await again.leave();
});

test("the first way is exactly this call", async () => {
  const shell = await shown();
  await press(shell, "a");
  await press(shell, "1");
  expect(answers(shell)).toEqual([ALWAYS]);
  await shell.leave();
});

test("`e` edits the marked way on the line; escape goes back to the list, then to the card", async () => {
  const shell = await shown();
  await press(shell, "a");
  await shell.type("\x1b[B\x1b[B");
  await press(shell, "e");
  expect(shell.text()).toMatch(/^\? npm \*$/m);
  expect(shell.text()).toContain("enter allow this   esc cancel");
  await shell.type("\x1b");
  await shell.settle(READ_MS);
  expect(shell.text()).toContain("1-4 choose");
  expect(shell.text()).not.toMatch(/^\? npm/m);
  await press(shell, "e");
  await shell.type("\x7frun build *\r");
  expect(answers(shell)).toMatchObject([{ ...ALWAYS, pattern: "npm run build *" }]);
  await shell.leave();
});

test("escape closes the list, and the other keys of the card still work", async () => {
  const shell = await shown();
  await press(shell, "a");
  await press(shell, "\x1b");
  expect(shell.text()).toContain("y allow once");
  expect(shell.text()).not.toContain("1-4 choose");
  await press(shell, "a");
  await press(shell, "n");
  expect(answers(shell)).toMatchObject([{ id: "n4p2", decision: "deny" }]);
  await shell.leave();
});

test("without patterns `a` allows exactly this call at once", async () => {
  const { patterns: _, ...about } = INSTALL.about;
  const shell = await shown({ ...INSTALL, about });
  expect(shell.text()).toContain("a always for this command");
  await press(shell, "a");
  expect(answers(shell)).toEqual([ALWAYS]);
  await shell.leave();
});

test("a message that begins with the letter is a message", async () => {
  const shell = await shown();
  await shell.type("and then");
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^› and then$/m);
  expect(shell.text()).not.toContain("1-4 choose");
  await shell.leave();
});
