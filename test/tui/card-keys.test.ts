// Keys of a card: those that it does not offer, its pager, and the card that is chosen.

import { expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import { answering, answers, press, READ_MS } from "../support/cards.ts";
import { said } from "../support/chat.ts";

type Asked = Partial<SignalOf<"chat.hil">>;

const ABOUT = { target: "gsv", directory: null, reasons: [], diff: null } as const;
const EDIT: Asked = {
  id: "edit",
  tool: "Edit",
  call: "fs.edit",
  args: { path: "/etc/gsv/config.toml", oldString: "b", newString: "B" },
  why: "edit /etc/gsv/config.toml",
  about: { ...ABOUT, diff: "@@ line 98 @@\n-b\n+B" },
};
const DELETE: Asked = { id: "gone", args: { path: "~/a.md" }, why: "delete ~/a.md" };
const CHOOSE: Asked = {
  id: "ask2",
  kind: "question",
  tool: "Ask",
  call: "hil.ask",
  args: { question: "Which one?", choices: ["old", "new"] },
};

test("a key that only other cards have does nothing and says so; as the beginning of a word it is text", async () => {
  const shell = await answering();
  await shell.play(said.hil({ ...DELETE, about: { ...ABOUT, once: true } }));
  await shell.settle(READ_MS);
  for (const [key, hint] of [
    ["a", "a: this asks every time"],
    ["A", "A: no other request is alike"],
    ["1", "1: press y or n"],
  ] as const) {
    await press(shell, key);
    expect(shell.text()).toContain(hint);
    expect(shell.text()).toEndWith("›");
  }
  for (const letter of "and") await shell.type(letter);
  expect(shell.text()).toEndWith("› and");
  await shell.type("\x15");
  await shell.play({ ...said.closed(), id: "gone" } as SignalOf<"chat.hil_closed">, said.hil(CHOOSE));
  await shell.settle(READ_MS);
  await press(shell, "3");
  expect(shell.text()).toContain("3: choose 1-2");
  expect(shell.text()).toEndWith("›");
  expect(answers(shell)).toEqual([]);
  await shell.leave();
});

test("a number that the list of ways does not have is no text either", async () => {
  const shell = await answering();
  await shell.play(said.hil({ ...EDIT, about: { ...EDIT.about!, patterns: ["/etc/gsv/*"] } }));
  await shell.settle(READ_MS);
  await press(shell, "a");
  await press(shell, "3");
  expect(shell.text()).toContain("3: choose 1-2");
  await press(shell, "2");
  expect(answers(shell)).toMatchObject([{ id: "edit", always: true, pattern: "/etc/gsv/*" }]);
  await shell.leave();
});

test("the pager of a request names its file, in its last row and above the change", async () => {
  const shell = await answering();
  const about = { ...EDIT.about!, target: "host", path: "/srv/site/a.txt" };
  const asked = said.hil({ ...EDIT, args: { path: "a.txt", oldString: "b", newString: "B" }, about });
  shell.io.fakeSys.answer("hil.list", () => ({ approvals: [{ ...asked, expiresAt: null }] }));
  await shell.play(asked);
  await shell.settle(READ_MS);
  await press(shell, "d");
  await shell.until(/^Edit \/srv\/site\/a\.txt /m);
  expect(shell.text()).toMatch(/asks: Edit on host\n {2}file: \/srv\/site\/a\.txt\n/);
  await shell.type("q");
  await shell.leave();
});

test("a card chosen with tab is still there after its pager, and again ignores its first keys", async () => {
  const shell = await answering();
  shell.io.fakeSys.answer("hil.list", () => ({ approvals: [{ ...said.hil(DELETE), expiresAt: null }] }));
  await shell.play(said.hil(EDIT), said.hil(DELETE));
  await shell.settle(READ_MS);
  await shell.type("\t");
  await shell.settle(READ_MS);
  await press(shell, "d");
  await shell.until(/^Delete ~\/a\.md /m);
  await shell.type("q");
  await press(shell, "y");
  expect(answers(shell)).toEqual([]);
  expect(shell.text()).toMatch(/wants to delete .*2 of 2/);
  await press(shell, "y");
  expect(answers(shell)).toMatchObject([{ id: "gone", decision: "approve" }]);
  await shell.leave();
});
