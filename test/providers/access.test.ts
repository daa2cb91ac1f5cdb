// Questions about accounts and access, and the command each answer must contain, word for word.

import { expect, test } from "bun:test";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { ask, requestOf } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });

const QUESTIONS: readonly (readonly [question: string, command: string])[] = [
  ["how do I become root", "gsv passwd root"],
  ["how do I act as another account", "--user root"],
  ["how do I sign in", "gsv auth login root"],
  ["how do I change my password?", "gsv passwd"],
  ["how do I add another user", "gsv user add bob"],
  ["how do I lock an account", "gsv user mod bob --lock"],
  ["how do I grant a capability", "--grant fs.read"],
  ["how do I drop capabilities of a process", "--drop net,shell"],
  ["how do I make a token for a script on ci", "gsv auth token create"],
  ["show the audit log", "gsv audit --denied"],
];

test.each(QUESTIONS)("%p gets an answer with the command", async (question, command) => {
  const { text } = await ask(provider, requestOf([{ user: question }]));
  expect(text.split("\n\nSee also:")[0]).toContain(command);
});
