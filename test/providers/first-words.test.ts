// First messages without a model, from a newcomer who knows another terminal agent.

import { expect, test } from "bun:test";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { answerOf } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });
const answer = (question: string) => answerOf(provider, question);

test.each(["what is this?", "hello, what is this?", "hi, what can you do?"])(
  "%p gets the name of the provider that answers",
  async (asked) => {
    expect(await answer(asked)).toStartWith("I am not a model. I answer questions about gsv from its manual");
  },
);

test.each(["fix the bug in cart.js", "explain cart.js", "please refactor the login module"])(
  "%p gets a hint that it needs a model, with the command that chooses one",
  async (order) => {
    expect(await answer(order)).toStartWith("That needs a model, and none is set up: run `gsv auth setup`. ");
  },
);

test.each([
  ["how do I exit gsv", "`/quit`, `exit` or ctrl-d leaves"],
  ["how do I quit the terminal?", "`/quit`, `exit` or ctrl-d leaves"],
  ["how do I change the mode", "gsv mode init:1000"],
  ["how do I stop being asked", "gsv mode init:1000"],
  ["how do I run git status", "gsv sh --host"],
])("%p gets the page about it", async (question, told) => {
  expect((await answer(question)).split("\n\nSee also:")[0]).toContain(told);
});
