// Twenty more questions, in words that the manual was not written for: most get the right answer.

import { expect, test } from "bun:test";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { ask, requestOf } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });

/** Worded differently from the manual, by people who were not asked to be helpful. */
const FURTHER: readonly (readonly [question: string, command: string])[] = [
  ["how do I copy a file from my computer into gsv", "gsv cp host:"],
  ["where can I see what an agent was refused", "gsv audit"],
  ["I want to change my password", "gsv passwd"],
  ["how do I make a backup of everything", "gsv backup"],
  ["how do I get my data back from a backup", "gsv restore"],
  ["which settings exist and what do they do", "gsv config list"],
  ["where do I put my API key", "gsv config set"],
  ["how can a second person use this home", "gsv user add"],
  ["can I run a bash script inside gsv", "gsv sh"],
  ["my script was killed after 30 seconds, how do I give it longer", "--timeout"],
  ["how much disk space is used and by whom", "gsv df"],
  ["is something broken in my home? how do I check", "gsv doctor"],
  ["how do I start an agent that may not touch the network", "--drop"],
  ["how do I change a file in my own editor", "gsv edit"],
  ["which calls did an agent make", "gsv proc trace"],
  ["how do I get tab completion in my shell", "completion"],
  ["how does a machine sign in without a password", "auth token create"],
  ["how do I give a process another name", "gsv proc label"],
  ["where are the files of gsv on my disk", "gsv paths"],
  ["how do I search the manual", "man -k"],
];

test("of twenty further paraphrases at least sixteen get the right command first", async () => {
  const missed: string[] = [];
  for (const [question, command] of FURTHER) {
    const { text } = await ask(provider, requestOf([{ user: question }]));
    const isFirst = !/^I (?:have|found) no/.test(text) && (text.split("\nSee also:")[0] ?? "").includes(command);
    if (!isFirst) missed.push(question);
  }
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(FURTHER.length - 16);
});
