// Settings in the schema: one canonical key in many spellings, one canonical text for each value, layers above each other.

import { describe, expect, test } from "bun:test";
import { configFrom, configOver, SETTING_NAMES, SETTINGS, type Setting } from "../../src/abi/config/config.ts";
import { canonicalForm, keyWritten, storedKey } from "../../src/abi/config/config-key.ts";
import { canonicalValue, type LayerTexts, resolveSetting, typedValue } from "../../src/abi/config/config-value.ts";
import { CLIENT_ENV, KERNEL_ENV, SECRET_ENV } from "../../src/abi/config/environment.ts";
import { seeded } from "../support/random.ts";
import { refusal } from "../support/refusal.ts";

const LAYERS = ["system", "user", "environment", "flag"] as const;
const all = SETTING_NAMES.map((name): [string, Setting] => [name, SETTINGS[name]]);

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Valid values of a setting, canonical or not. */
function rightFor({ type, min = 0, max = 0, choices = [], shape, isZone, isHours }: Setting): string[] {
  switch (type) {
    case "int":
      return [String(min), String(max), `0${min}`, ` ${max} `];
    case "flag":
      return ["true", "false", "on", "No", "1"];
    case "choice":
      return [...choices];
    case "json":
      return shape === "array" ? ["[]", '[ {"a": 1} ]'] : ["{}", '{ "a": [1, 2] }'];
    case "secret":
      return ["sk-0123456789"];
    case "text":
      if (isHours) return ["22:00-07:00", "8:30 - 12:00", "00:00-23:59"];
      if (isZone) return ["UTC", "Europe/Berlin", "Asia/Tokyo"];
      return ["x", " padded ", "a = b", '"quoted"', "ü\nline"];
  }
}

const wrongFor: { readonly [T in Setting["type"]]: readonly string[] } = {
  int: ["", "x", "-1", "1.5", "1e3", "99999999999999999999"],
  flag: ["", "maybe", "2"],
  choice: ["", "nonsense"],
  json: ["", "{", "1", "null", '"text"'],
  secret: ["short"],
  text: ["a\u0000b"],
};

describe("every setting", () => {
  test.each(all)("%s has a valid default, in canonical form, and a doc", (name, setting) => {
    expect(setting.doc.length).toBeGreaterThan(8);
    if (setting.fallback !== "") expect(canonicalValue(name, setting, setting.fallback)).toBe(setting.fallback);
  });

  test.each(all)("%s takes valid values in one canonical form and refuses others with an example", (name, setting) => {
    for (const written of rightFor(setting)) {
      const once = canonicalValue(name, setting, written);
      expect(canonicalValue(name, setting, once)).toBe(once);
      expect(typedValue(setting, once)).not.toBeUndefined();
    }
    for (const written of wrongFor[setting.type]) {
      const { code, message } = refusal(() => canonicalValue(name, setting, written));
      expect(code).toBe("ECONFIG");
      expect(message).toStartWith(`${name} must be `);
    }
  });

  test("a secret is never quoted, however wrong it is", () => {
    const { message, hints } = refusal(() => canonicalValue("ai.apiKey", SETTINGS["ai.apiKey"], "s3cr3t"));
    expect([message, ...hints].join()).not.toContain("s3cr3t");
  });
});

describe("a key", () => {
  test.each(all)("%s is the same key in every spelling", (name) => {
    const slashed = name.replaceAll(".", "/");
    const spellings = [name, snake(name), slashed, snake(slashed)];
    const below = ["", "config/", "/sys/config/", "users/1000/", "/sys/users/1000/"];
    for (const prefix of below) {
      for (const spelling of spellings) {
        const uid = prefix.includes("users/") ? 1000 : null;
        expect(keyWritten(prefix + spelling)).toEqual({ name, uid } as never);
      }
    }
  });

  test("names the same key in its stored form, for the home or an account, and no two keys share one", () => {
    const stored = new Set<string>();
    for (const name of SETTING_NAMES) {
      for (const holder of ["system", 0, 1000, 4294967294] as const) {
        const key = storedKey(name, holder);
        expect(keyWritten(key)).toEqual({ name, uid: holder === "system" ? null : holder });
        expect(key).toMatch(/^(?:config|users\/\d+)(?:\/[a-z0-9_]+)+$/);
        stored.add(key);
      }
    }
    expect(stored.size).toBe(SETTING_NAMES.length * 4);
    expect(storedKey("ai.maxTokens", "system")).toBe("config/ai/max_tokens");
    expect(storedKey("ai.maxTokens", 1000)).toBe("users/1000/ai/max_tokens");
  });

  test("that does not exist is unknown, even if objects have a property of that name", () => {
    for (const text of [
      "",
      ".",
      "/",
      "ai",
      "ai.",
      "constructor",
      "__proto__",
      "toString",
      "users/x/ai/model",
      "config/",
    ]) {
      expect(keyWritten(text)).toBeNull();
    }
  });

  test("in random spellings has one canonical form, which is its own", () => {
    const seed = 20_261_120;
    const random = seeded(seed);
    for (let round = 0; round < 2000; round++) {
      const name = random.pick(SETTING_NAMES);
      const spelt = name
        .split(".")
        .map((segment) => (random.int(2) === 0 ? snake(segment) : segment))
        .reduce((so, segment) => so + random.pick([".", "/"]) + segment);
      const found = canonicalForm(random.pick(["", "config/", "users/7/"]) + spelt);
      expect({ seed, round, spelt, found }).toEqual({ seed, round, spelt, found: name });
      expect(canonicalForm(found)).toBe(found);
    }
  });
});

describe("layers", () => {
  test("the strongest valid layer wins, in any combination; an invalid value counts as missing", () => {
    for (const [name, setting] of all) {
      if (setting.type === "secret") continue;
      const right = rightFor(setting);
      for (let mask = 0; mask < 3 ** LAYERS.length; mask++) {
        const state = LAYERS.map((_, index) => Math.floor(mask / 3 ** index) % 3);
        const said: LayerTexts = Object.fromEntries(
          LAYERS.flatMap((layer, index) => {
            if (state[index] === 0) return [];
            return [[layer, state[index] === 1 ? right[index % right.length] : wrongFor[setting.type].at(-1)]];
          }),
        );
        const winner = LAYERS.findLast((_, index) => state[index] === 1) ?? "default";
        const { layer, text, layers } = resolveSetting(name, setting, said);
        expect(layer).toBe(winner);
        expect(text).toBe(winner === "default" ? setting.fallback : canonicalValue(name, setting, said[winner] ?? ""));
        expect(layers.map((each) => each.layer)).toEqual([
          "default",
          ...LAYERS.filter((_, index) => state[index] === 1),
        ]);
      }
    }
  });

  test("the kernel's own numbers: default, then stored, then environment", () => {
    expect(configOver({}, {})["kernel.idleMs"]).toBe(10_000);
    expect(configOver({ "kernel.idleMs": "7" }, {})["kernel.idleMs"]).toBe(7);
    expect(configOver({ "kernel.idleMs": "0" }, {})["kernel.idleMs"]).toBe(10_000);
    const said = configFrom({ GSV_KERNEL_IDLE_MS: "9" });
    expect(said).toEqual({ "kernel.idleMs": 9 });
    expect(configOver({ "kernel.idleMs": "7", "kernel.termMs": "8" }, said)).toMatchObject({
      "kernel.idleMs": 9,
      "kernel.termMs": 8,
      "retention.archivesDays": 0,
    });
  });
});

test("a kernel starts with no secret in its environment, and a client sends none of the kernel's own variables", () => {
  expect(SECRET_ENV.length).toBeGreaterThan(3);
  expect(KERNEL_ENV.filter((name) => SECRET_ENV.includes(name))).toEqual([]);
  expect(CLIENT_ENV.filter((name) => name.startsWith("GSV_KERNEL"))).toEqual([]);
  expect(CLIENT_ENV).toEqual(expect.arrayContaining([...SECRET_ENV]));
});
