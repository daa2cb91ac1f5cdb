// Several requests that are alike are allowed with one key. All of them stand on the card in full, and nothing else is allowed with them.

import { expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import { alikeWith } from "../../tui/approval-card/alike.ts";
import type { Ask } from "../../tui/state/asks.ts";
import { answering, READ_MS } from "../support/cards.ts";
import { said } from "../support/chat.ts";
import type { Played } from "../support/played.ts";
import { EDIT, FAILED, INSTALL, QUESTION, TESTS } from "../support/scene-talk.ts";

type Asked = Partial<SignalOf<"chat.hil">>;

const like = (id: string, command: string, more: Asked = {}): Asked => ({
  ...TESTS,
  id,
  pid: `task:aaaaa${id}`,
  args: { command, target: "host" },
  ...more,
});

async function shown(...asks: readonly Asked[]): Promise<Played> {
  const shell = await answering();
  await shell.play(...asks.map((each) => said.hil(each)));
  await shell.settle(READ_MS);
  return shell;
}

const ids = ({ io }: Played) =>
  io.fakeSys.asked("hil.answer").map((each) => {
    const { id, decision } = each as { readonly id: string; readonly decision: string };
    return `${decision} ${id}`;
  });

test("`A` allows all requests that are alike, and only them", async () => {
  const shell = await shown(TESTS, like("1", "npm test -- store"), like("2", "npm publish"), like("3", "npm test"));
  expect(shell.text()).toContain("1 of 4");
  expect(shell.text()).toContain("A allow all 3");
  expect(shell.text()).toMatch(/^ {2}\? npm test -- store {2}task:aaaaa1 0:00$/m);
  await shell.type("A");
  await shell.settle(READ_MS);
  expect(ids(shell)).toEqual(["approve t5r9", "approve 1", "approve 3"]);
  await shell.leave();
});

test("a request that appeared just before the key is not allowed with the others", async () => {
  const shell = await shown(TESTS, like("1", "npm test -- store"));
  await shell.play(said.hil(like("2", "npm test -- late")));
  await shell.type("A");
  await shell.settle(READ_MS);
  expect(ids(shell)).toEqual(["approve t5r9", "approve 1"]);
  await shell.leave();
});

test("a request that is like no other has no such key", async () => {
  const shell = await shown(TESTS, like("1", "npm run build"));
  expect(shell.text()).not.toContain("A allow all");
  await shell.type("A");
  await shell.settle(READ_MS);
  expect(ids(shell)).toEqual([]);
  expect(shell.text()).toContain("A: no other request is alike");
  expect(shell.text()).toEndWith("›");
  await shell.leave();
});

const ask = (asked: Asked) => ({ ...said.hil(asked), since: 0 }) as Ask;

test.each<[string, Asked, Asked]>([
  ["another command", TESTS, like("1", "yarn test")],
  ["another verb", TESTS, like("1", "npm install")],
  ["several commands", like("2", "npm test; ls"), like("1", "npm test; ls")],
  ["a substitution", like("2", "npm test $(x)"), like("1", "npm test $(x)")],
  ["a danger", INSTALL, { ...INSTALL, id: "other" }],
  ["a second run", FAILED, { ...FAILED, id: "other" }],
  ["a file change, whose lines are not shown", EDIT, { ...EDIT, id: "other" }],
  ["a question", QUESTION, { ...QUESTION, id: "other" }],
  ["a hidden character", TESTS, like("1", "npm test\u202e")],
  ["a look-alike letter", TESTS, like("1", "npm test \u0430pi")],
  ["a second line", TESTS, like("1", "npm test\nrm -rf x")],
  ["another directory", TESTS, like("1", "npm test", { about: { ...TESTS.about, directory: "/srv" } })],
  ["the network", TESTS, like("1", "npm test", { about: { ...TESTS.about, grants: ["network"] } })],
  ["input", TESTS, like("1", "npm test", { args: { command: "npm test", target: "host", fed: true } })],
  ["an attachment", TESTS, like("1", "npm test", { about: { ...TESTS.about, attaches: "/srv" } })],
])("not alike: %s", (_what, first, second) => {
  expect(alikeWith(ask(first), [ask(first), ask(second)])).toEqual([]);
});
