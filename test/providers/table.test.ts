import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SETTING_NAMES } from "../../src/abi/config/config.ts";
import { costMicros } from "../../src/abi/process/money.ts";
import { ollamaUrl } from "../../src/providers/access.ts";
import { factsOf, knownModels, modelNamed } from "../../src/providers/models.ts";
import {
  choiceOf,
  choiceText,
  chooseProvider,
  keyVariable,
  loadProvider,
  providerNames,
  serverOf,
} from "../../src/providers/table.ts";
import { FakeClock } from "../support/clock.ts";
import { refusal } from "../support/refusal.ts";
import { accessOf } from "../support/wire-format.ts";

const PORTS = { clock: new FakeClock(), manual: async () => [] };

function chosen(model: string, provider = "", ...keys: string[]) {
  return chooseProvider({ model, provider, hasKey: (name) => keys.includes(name) });
}

describe("the choice of a provider", () => {
  test("is open without any setting", () => {
    expect([chosen(""), chosen(" ")]).toEqual([null, null]);
  });

  test("is part of a model's name before a slash or a colon; a script is named by its file, colons included", () => {
    expect(chosen("offline")).toEqual({ provider: "offline", model: "offline" });
    expect(chosen("script:/tmp/a:b.jsonl")).toEqual({ provider: "script", model: "/tmp/a:b.jsonl" });
    expect(chosen("openai/m")).toEqual({ provider: "openai", model: "m" });
    expect(chosen("openai:m")).toEqual({ provider: "openai", model: "m" });
    expect(chosen("ollama/llama3.2:3b")).toEqual({ provider: "ollama", model: "llama3.2:3b" });
    expect(chosen("ollama:hf.co/some/model:Q4")).toEqual({ provider: "ollama", model: "hf.co/some/model:Q4" });
    expect(chosen("openrouter/maker/model")).toEqual({ provider: "openrouter", model: "maker/model" });
  });

  test("follows from a short name, a known model or a bare model of the current provider", () => {
    expect(chosen("sonnet")?.provider).toBe("anthropic");
    expect(chosen("gpt-4.1")).toEqual({ provider: "openai", model: "gpt-4.1" });
    expect(chosen("anthropic/opus")).toEqual({ provider: "anthropic", model: modelNamed("opus")!.id });
    expect(chosen("mistral", "ollama")).toEqual({ provider: "ollama", model: "mistral" });
  });

  test("prefers an explicit name to the account's provider, that to keys, and Anthropic's key to OpenAI's", () => {
    expect(chosen("offline", "openai", "anthropic")?.provider).toBe("offline");
    expect(chosen("", "openai", "anthropic")?.provider).toBe("openai");
    expect(chosen("", "offline", "anthropic")?.provider).toBe("offline");
    expect(chosen("", "", "openai", "anthropic")?.provider).toBe("anthropic");
    expect(chosen("", "", "openai")?.provider).toBe("openai");
    expect(chosen("", "", "openrouter")).toBeNull();
  });

  test("without a model leaves the model open", () => {
    expect(choiceOf("anthropic")).toEqual({ provider: "anthropic", model: "" });
    expect(choiceOf("ollama/")).toEqual({ provider: "ollama", model: "" });
  });

  test("reads back as the same choice when written", () => {
    for (const model of ["offline", "script:/tmp/a:b", "openai/m", "ollama/llama3.2:3b", "ollama", "openrouter/a/b"]) {
      expect(choiceText(choiceOf(model))).toBe(model);
      expect(choiceOf(choiceText(choiceOf(model)))).toEqual(choiceOf(model));
    }
  });

  test.each(["nobody/some-model", "constructor", "__proto__", "Script:/x", ":", "/", "x".repeat(10_000), "gpt-99"])(
    "an unknown provider is a configuration error that lists the available ones: %p",
    (wanted) => {
      const error = refusal(() => chosen(wanted));
      expect(error.code).toBe("ECONFIG");
      expect(error.message.length).toBeLessThan(120);
      expect(error.hints.join()).toContain("offline, script:/path/to/file, anthropic/MODEL");
    },
  );

  test.each([
    "script",
    "script:",
    "script:relative.jsonl",
    "offline:big",
    "openai/two words",
    "openai/\u001b[31m",
    `openai/${"x".repeat(201)}`,
  ])("%p cannot work and is refused", (wanted) => {
    expect(refusal(() => chosen(wanted)).code).toBe("ECONFIG");
  });

  test("a provider that may stand alone names itself; script needs its file", () => {
    for (const name of providerNames().filter((each) => each !== "script"))
      expect(chosen("", name)).toEqual({ provider: name, model: name === "offline" ? "offline" : "" });
    expect(() => chosen("", "script")).toThrow("ai.provider cannot be script");
  });

  test("offers exactly the providers that can be loaded", async () => {
    for (const name of providerNames()) {
      expect((await loadProvider(name, PORTS, accessOf("http://127.0.0.1:1"))).name).toBe(name);
    }
    expect(loadProvider("nobody", PORTS, accessOf(""))).rejects.toThrow("unknown provider");
  });

  test("knows each key that can be stored, and the manual names each server and the variable of its key", () => {
    const text = (name: string) => readFileSync(join(import.meta.dir, "../../src/prompts/manual", name), "utf8");
    const page = (name: string) => text(name).replace(/<!--.*?-->/gs, "");
    const servers = providerNames().filter((name) => serverOf(name) !== null);
    const keys = servers.map((name) => serverOf(name)?.keySetting);
    const unknown = SETTING_NAMES.filter((name) => name.startsWith("apiKeys.") && !keys.includes(name));
    expect([
      ...unknown.map((name) => `add the provider of ${name} to src/providers/table.ts`),
      ...servers
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(page("models.md")))
        .map((name) => `name ${name} in src/prompts/manual/models.md`),
      ...servers
        .map((name) => keyVariable(name) ?? "")
        .filter((variable) => !page("environment.md").includes(variable))
        .map((variable) => `name ${variable} in src/prompts/manual/environment.md`),
    ]).toEqual([]);
  });
});

describe("models are data", () => {
  test("short names are unique, and dated snapshots are the same model", () => {
    const names = knownModels().flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(modelNamed("claude-haiku-4-5-20251001")).toMatchObject({
      id: "claude-haiku-4-5-20251001",
      windowTokens: 200_000,
    });
    expect(modelNamed("gpt-4.1-2025-04-14", "openai")).toMatchObject({ id: "gpt-4.1-2025-04-14" });
  });

  test("cost is tokens times price, with a price of its own for cached ones; an unknown model has no price and the window of the settings", () => {
    const counts = { input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 400_000 };
    const { price } = factsOf("anthropic", "claude-sonnet-4-6", 1);
    expect(costMicros(price!, counts)).toBe(6_600_000);
    const unknown = factsOf("openai", "somebodys-model", 12_345);
    expect(unknown).toMatchObject({ windowTokens: 12_345, isKnown: false, price: null });
  });
});

test.each([
  ["", "http://127.0.0.1:11434"],
  ["127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["box", "http://box:11434"],
  [":8080", "http://127.0.0.1:8080"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  ["http://box:8080/", "http://box:8080"],
  ["https://box.example", "https://box.example"],
  ["none", null],
  ["ftp://box", null],
  ["http://name:secret@box", null],
])("OLLAMA_HOST=%s is %p", (text, url) => {
  expect(ollamaUrl(text)).toBe(url);
});
