// Processes go by their labels on cards and in notices; two with the same label have their short pids too.

import { expect, test } from "bun:test";
import type { SignalOf } from "../../src/abi/signal.ts";
import { READ_MS } from "../support/cards.ts";
import { OTHER_RUN, said } from "../support/chat.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

const BUILD = { pid: "task:aaaaaa", label: "build" };
const DOCS = { pid: "task:cccccc", label: "docs" };

async function played(...more: readonly { pid: string; label: string | null }[]): Promise<Played> {
  const processes = [{ pid: "init:1000", label: null }, BUILD, DOCS, ...more].map((each) => processInfo(each));
  const shell = await Played.open({
    prepare: ({ fakeSys }) => {
      fakeSys.answer("proc.get", ({ pid }: { pid: string }) => processes.find((each) => each.pid === pid));
      fakeSys.answer("proc.list", () => ({ processes, next: null }));
      fakeSys.answer("hil.answer", () => ({}));
    },
  });
  return shell;
}

function asks(by: { readonly pid: string; readonly label: string | null }, id: string): SignalOf<"chat.hil"> {
  return said.hil({ ...by, id, args: { path: `~/${id}` } }) as SignalOf<"chat.hil">;
}

test("cards and notices name a process by its label", async () => {
  const shell = await played();
  await shell.play(asks(BUILD, "a"), asks(DOCS, "b"));
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^\? build wants to delete ~\/a +1 of 2/m);
  expect(shell.text()).toMatch(/^ {2}\? docs wants to delete ~\/b /m);
  await shell.play(said.complete("ok", null, { ...DOCS, run: OTHER_RUN }));
  expect(shell.text()).toContain("docs done");
  await shell.leave();
});

test("a label that two processes have is followed by the short pid", async () => {
  const shell = await played({ pid: "task:bbbbbb", label: "Build" });
  await shell.play(asks(BUILD, "a"));
  await shell.until(/^\? build aaaaaa wants to delete ~\/a /m);
  await shell.leave();
});

test("a label cannot pass for another process", async () => {
  const shell = await played({ pid: "task:bbbbbb", label: "init:1000" });
  await shell.play(asks({ pid: "task:bbbbbb", label: "init:1000" }, "a"));
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^\? task:bbbbbb wants to delete/m);
  await shell.leave();
});

test("the shown card is the one that the keys answer, also in a process with a label", async () => {
  const shell = await played();
  await shell.type("/attach task:cccccc\r");
  await shell.until(/Switched to task:cccccc/);
  await shell.play(asks(BUILD, "a"), asks(DOCS, "b"));
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^\? docs wants to delete ~\/b +1 of 2/m);
  await shell.type("y");
  await shell.settle(READ_MS);
  expect(shell.io.fakeSys.asked("hil.answer")).toEqual([{ id: "b", decision: "approve" }]);
  await shell.leave();
});
