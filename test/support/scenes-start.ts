// Scenes before the prompt: choosing a model in a home that has none.

import type { FakeIo } from "./io.ts";
import { processInfo } from "./process-info.ts";
import type { Scene } from "./scene-steps.ts";

/** Cards ignore keys for a moment. */
const READ_MS = 450;

function setting(key: string, env: string, layer = "environment") {
  return { key, env, layer, shown: "set (sha256:1234…)" };
}

/** A home without a model, two keys in the environment, and no Ollama. */
function withKeys({ fakeSys }: FakeIo): void {
  const settings = [
    setting("apiKeys.anthropic", "ANTHROPIC_API_KEY"),
    setting("apiKeys.openai", "OPENAI_API_KEY"),
    setting("apiKeys.google", "GEMINI_API_KEY", "default"),
  ];
  fakeSys.answer("config.list", () => ({ settings }));
  fakeSys.answer("config.apply", ({ changes }: { changes: { readonly [key: string]: string } }) => {
    fakeSys.answer("proc.model", () => ({ answers: changes["ai.model"] }));
    return { changed: [] };
  });
  fakeSys.answer("proc.get", () => processInfo());
  fakeSys.answer("ai.test", ({ model }: { model: string }) => {
    const trial = { model: `${model}/fable-5`, address: "http://127.0.0.1:11434", ms: 612, text: "ready", usage: null };
    if (model === "ollama")
      return { ...trial, ok: false, failure: { class: "network", message: "no connection to ollama" } };
    if (model === "anthropic") {
      const message = "anthropic refused ANTHROPIC_API_KEY (401). Another: gsv auth provider anthropic";
      return { ...trial, ok: false, failure: { class: "auth", status: 401, message } };
    }
    return { ...trial, ok: true, failure: null };
  });
}

const options = { setup: { isOver: () => false, end: () => {} }, prepare: withKeys };

export const START: readonly Scene[] = [
  { name: "choose-model", options, play: (played) => played.until(/Choose a model/) },
  {
    name: "choose-model-failed",
    options,
    play: async (played) => {
      await played.until(/Choose a model/);
      await played.settle(READ_MS);
      await played.type("\r");
      await played.until(/refused/);
    },
  },
  {
    name: "choose-model-no-server",
    options,
    play: async (played) => {
      await played.until(/Choose a model/);
      await played.settle(READ_MS);
      await played.type("3");
      await played.until(/does not answer/);
    },
  },
  {
    name: "choose-model-answered",
    options,
    play: async (played) => {
      await played.until(/Choose a model/);
      await played.settle(READ_MS);
      await played.type("2");
      await played.until(/^›/m);
    },
  },
  {
    name: "choose-model-skipped",
    options,
    play: async (played) => {
      await played.until(/Choose a model/);
      await played.settle(READ_MS);
      await played.type("\x1b");
      await played.until(/^›/m);
    },
  },
];
