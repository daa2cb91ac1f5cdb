// What a chat prints of a model that fails: a countdown to the next try on a terminal, and one line for what only a person can fix.

import { beforeEach, expect, test } from "bun:test";
import { Chat, PID, said } from "../support/chat.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

const OVERLOADED = { class: "outage", reason: "anthropic is overloaded (529)" } as const;

function retry(next: number, ms: number) {
  const at = chat.io.clock.now();
  return said.restart({ ...OVERLOADED, at, until: at + ms, retry: { next, of: 15 }, attempt: next });
}

/** The last text of each line. */
function lines(): readonly string[] {
  return chat.err.split("\n").map((line) => line.split("\r\x1b[K").at(-1) ?? "");
}

test("on a terminal the wait before a retry counts down on one line, which stays as the record", async () => {
  chat.io.terminal(80);
  const { exit } = await chat.begin("hi");
  await chat.play(said.start(), retry(2, 1900));
  expect(lines()).toEqual(["gsv: retrying in 2 s (2 of 15): anthropic is overloaded (529)"]);
  await chat.io.clock.advance(900);
  expect(lines()).toEqual(["gsv: retrying in 1 s (2 of 15): anthropic is overloaded (529)"]);
  await chat.io.clock.advance(1000);
  expect(lines()).toEqual(["gsv: retrying (2 of 15): anthropic is overloaded (529)"]);
  await chat.play(retry(3, 4000));
  expect(lines()).toEqual(["gsv: retrying in 4 s (3 of 15): anthropic is overloaded (529)"]);
  await chat.play(said.text("hello"), said.complete("ok", "hello"));
  expect(await exit).toBe(0);
  await chat.io.clock.advance(10_000);
  expect(lines()).toEqual(["gsv: retrying in 4 s (3 of 15): anthropic is overloaded (529)", ""]);
  expect(chat.out).toBe("hello\n");
});

test("a narrow terminal cuts the countdown to its width", async () => {
  chat.io.terminal(40);
  const { exit } = await chat.begin("hi");
  await chat.play(said.start(), retry(2, 3000), said.complete("ok", "hello"));
  await exit;
  expect(Bun.stringWidth(lines()[0] ?? "")).toBeLessThan(40);
});

test("in a pipe each retry is one line", async () => {
  const { exit } = await chat.begin("hi");
  await chat.play(said.start(), retry(2, 1000), retry(3, 2000), said.complete("ok", "hello"));
  expect(await exit).toBe(0);
  expect(chat.err).toBe(
    "gsv: retrying in 1 s (2 of 15): anthropic is overloaded (529)\ngsv: retrying in 2 s (3 of 15): anthropic is overloaded (529)\n",
  );
});

test("a missing key exits 4 with one line that says what to type", async () => {
  const reason = "No API key for anthropic. To set one: gsv auth provider anthropic";
  const { exit } = await chat.begin("--pid", PID, "hi");
  await chat.play(said.state("paused", { kind: "credential", provider: "anthropic", reason }));
  await chat.settle(200);
  expect(await exit).toBe(4);
  expect(chat.err).toBe(`gsv: ${reason}\n`);
});
