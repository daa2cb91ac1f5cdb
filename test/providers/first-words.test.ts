// What is typed first where no model is set up, by somebody who comes from another terminal that talks.

import { expect, test } from "bun:test";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { answerOf } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });
const answer = (question: string) => answerOf(provider, question);

test.each(["what is this?", "hello, what is this?", "hi, what can you do?"])(
  "%p says what answers here",
  async (asked) => {
    expect(await answer(asked)).toStartWith("I am not a model. I answer questions about gsv from its manual");
  },
);

test.each(["fix the bug in cart.js", "explain cart.js", "please refactor the login module"])(
  "%p is said to be for a model, with the command that chooses one",
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
])("%p is answered by the page about it", async (question, told) => {
  expect((await answer(question)).split("\n\nSee also:")[0]).toContain(told);
});
