import { describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { chooseProvider, loadProvider } from "../../src/providers/table.ts";
import { FakeClock } from "../support/clock.ts";

const PORTS = { clock: new FakeClock(), manual: async () => [] };

function refusal(explicit: string): SysError {
  try {
    chooseProvider({ explicit, env: {} });
  } catch (error) {
    if (error instanceof SysError) return error;
  }
  throw new Error(`${JSON.stringify(explicit)} was not refused`);
}

describe("which provider answers", () => {
  test("with nothing said it is offline", () => {
    expect(chooseProvider({ env: {} })).toEqual({ provider: "offline", model: "offline" });
    expect(chooseProvider({ env: { GSV_MODEL: " " } })).toEqual({ provider: "offline", model: "offline" });
  });

  test("GSV_MODEL names it, and a script by its file, colons and all", () => {
    expect(chooseProvider({ env: { GSV_MODEL: "offline" } }).provider).toBe("offline");
    expect(chooseProvider({ env: { GSV_MODEL: "script:/tmp/a:b.jsonl" } })).toEqual({
      provider: "script",
      model: "/tmp/a:b.jsonl",
    });
  });

  test("what is named for the process wins over the environment", () => {
    expect(chooseProvider({ explicit: "offline", env: { GSV_MODEL: "script:/tmp/a" } }).provider).toBe("offline");
  });

  test("a key for a provider that gsv does not have changes nothing", () => {
    expect(chooseProvider({ env: { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" } }).provider).toBe("offline");
  });

  test.each(["anthropic:some-model", "constructor", "__proto__", "Script:/x", ":", "x".repeat(10_000)])(
    "an unknown provider is a configuration error that names those there are: %p",
    (wanted) => {
      const error = refusal(wanted);
      expect(error.code).toBe("ECONFIG");
      expect(error.message.length).toBeLessThan(120);
      expect(error.hints.join()).toContain("offline, script:/path/to/file");
    },
  );

  test.each(["script", "script:", "script:relative.jsonl", "offline:big"])(
    "%s cannot work and is refused",
    (wanted) => {
      expect(refusal(wanted).code).toBe("ECONFIG");
    },
  );

  test("every provider that can be chosen can be loaded, and no other", async () => {
    expect((await loadProvider("offline", PORTS)).name).toBe("offline");
    expect((await loadProvider("script", PORTS)).name).toBe("script");
    expect(loadProvider("anthropic", PORTS)).rejects.toThrow("no provider");
  });
});
