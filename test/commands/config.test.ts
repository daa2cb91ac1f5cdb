// `gsv config` on the command line: no secrets as arguments, an editor that changes all or nothing, output for people and programs.

import { beforeEach, describe, expect, test } from "bun:test";
import { changesBetween, layerText, namesIn, valuesFrom } from "../../commands/config/config-text.ts";
import { SETTINGS, type Setting } from "../../src/abi/config/config.ts";
import { canonicalValue } from "../../src/abi/config/config-value.ts";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";
import { seeded } from "../support/random.ts";

const SECRET = "sk-canary-0123456789";
const CHANGED = { changed: [{ key: "ai.apiKey", value: "set (sha256:0a1b…)", layer: "user", whose: null }] };

let io: FakeIo;

beforeEach(() => {
  io = new FakeIo();
  io.fakeSys.answer("config.set", () => CHANGED);
});

describe("gsv config set with a secret", () => {
  test("refuses it as an argument with the reason, shows it nowhere and sends no call", async () => {
    for (const key of ["ai.apiKey", "ai/api_key", "users/1000/ai/api_key"]) {
      expect(await runs(io, "config", "set", key, SECRET)).toBe(2);
      expect(io.stderr.text).toContain("cannot set ai.apiKey from an argument");
      expect(io.stderr.text + io.stdout.text).not.toContain(SECRET);
      expect(io.fakeSys.calls).toEqual([]);
    }
  });

  test("asks for it hidden on a terminal", async () => {
    io.terminal().hidden.push(SECRET);
    expect(await runs(io, "config", "set", "ai.apiKey")).toBe(0);
    expect(io.questions).toEqual(["ai.apiKey: "]);
    expect(io.fakeSys.asked("config.set")).toEqual([{ key: "ai.apiKey", value: SECRET }]);
    expect(io.stdout.text).toBe("ai.apiKey = set (sha256:0a1b…)\n");
  });

  test.each(["\n", "\r\n", ""])("reads it from stdin when piped, without the newline (%j)", async (end) => {
    io.stdin = stdinOf("pipe", [SECRET + end]);
    expect(await runs(io, "config", "set", "ai.apiKey", "-")).toBe(0);
    expect(io.fakeSys.asked("config.set")).toEqual([{ key: "ai.apiKey", value: SECRET }]);
  });

  test("without any input changes nothing", async () => {
    for (const stdin of [stdinOf("none"), stdinOf("pipe", ["\n"]), stdinOf("tty")]) {
      io.stdin = stdin;
      expect(await runs(io, "config", "set", "ai.apiKey")).toBe(2);
    }
    expect(io.fakeSys.calls).toEqual([]);
  });
});

describe("gsv config", () => {
  test("an unknown key exits 78 with the nearest name, before any question or read", async () => {
    expect(await runs(io, "config", "set", "compaction.reservTokens", "1")).toBe(78);
    expect(io.stderr.text).toContain("did you mean compaction.reserveTokens");
    expect(await runs(io, "config", "set", "model", "offline")).toBe(78);
    expect(io.stderr.text).toContain("did you mean ai.model");
    expect(io.fakeSys.calls).toEqual([]);
  });

  test("set without a value and without stdin is a usage error; a pipe is the value", async () => {
    expect(await runs(io, "config", "set", "ai.model")).toBe(2);
    io.stdin = stdinOf("pipe", ["offline\n"]);
    expect(await runs(io, "config", "set", "ai.model", "--system")).toBe(0);
    expect(io.fakeSys.asked("config.set")).toEqual([{ key: "ai.model", value: "offline", system: true }]);
  });

  test("get prints only the value, with -v every layer, with --json everything", async () => {
    const info = {
      key: "ai.maxTokens",
      value: 9,
      shown: "9",
      layer: "user",
      layers: [
        { layer: "default", shown: "8192" },
        { layer: "user", shown: "9" },
      ],
      type: "int",
      takes: "a whole number from 0 to 1000000000",
      doc: "how long",
      env: null,
      writes: "user",
    };
    io.fakeSys.answer("config.get", () => info);
    expect(await runs(io, "config", "get", "ai.maxTokens")).toBe(0);
    expect(io.stdout.text).toBe("9\n");
    io.stdout.text = "";
    expect(await runs(io, "config", "get", "-v", "ai.maxTokens")).toBe(0);
    expect(io.stdout.text).toMatch(/^ai\.maxTokens +9 \(user\)$/m);
    expect(io.stdout.text).toMatch(/^default +8192$/m);
    io.stdout.text = "";
    expect(await runs(io, "config", "get", "ai.maxTokens", "--json")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toEqual(info);
  });
});

describe("gsv config edit", () => {
  beforeEach(() => {
    const layers = [
      { layer: "default", shown: "8192" },
      { layer: "user", shown: "11" },
    ];
    const secret = { key: "ai.apiKey", layers: [{ layer: "user", shown: "set (sha256:0a1b…)" }] };
    io.fakeSys.answer("config.list", () => ({ settings: [{ key: "ai.maxTokens", layers }, secret] }));
    io.fakeSys.answer("config.apply", () => ({ changed: [] }));
  });

  test("shows your own layer without secrets, and sends the changes in one call", async () => {
    io.editing = (text) => {
      expect(text).toContain("\nai.maxTokens = 11\n");
      expect(text).not.toContain("sha256");
      expect(text).not.toContain("kernel.idleMs");
      return text
        .replace("ai.maxTokens = 11", "ai.maxTokens = 12")
        .replace(/^# compaction.enabled.*$/m, "compaction/enabled=off");
    };
    expect(await runs(io, "config", "edit")).toBe(0);
    expect(io.fakeSys.asked("config.apply")).toEqual([
      { changes: { "ai.maxTokens": "12", "compaction.enabled": "false" } },
    ]);
  });

  test("a deleted line unsets the key; an unchanged text sends no call", async () => {
    io.editing = (text) => text.replace(/^ai\.maxTokens.*$/m, "");
    expect(await runs(io, "config", "edit")).toBe(0);
    expect(io.fakeSys.asked("config.apply")).toEqual([{ changes: { "ai.maxTokens": null } }]);
    io.editing = (text) => text;
    expect(await runs(io, "config", "edit")).toBe(0);
    expect(io.fakeSys.asked("config.apply")).toHaveLength(1);
  });

  test("an invalid text changes nothing, lists every wrong line and the text's file, and exits 78", async () => {
    io.editing = () =>
      "ai.maxTokens = 5\nai.maxTokns = 3\nnonsense\nai.reasoning = a lot\nai.apiKey = sk-canary-01234\n";
    expect(await runs(io, "config", "edit")).toBe(78);
    expect(io.fakeSys.asked("config.apply")).toEqual([]);
    const { text } = io.stderr;
    for (const part of [
      "line 2: no such setting",
      "did you mean ai.maxTokens",
      "line 3:",
      "line 4: ai.reasoning must be",
      "line 5:",
      "your text is saved in /run/draft-settings.conf; gsv config edit continues with it",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("canary");
  });

  test("the next edit continues with a refused text until it is accepted", async () => {
    io.fakeSys.answer("config.apply", () => Promise.reject(new SysError("EAGAIN", "the kernel was stopped")));
    io.editing = (text) => text.replace("ai.maxTokens = 11", "ai.maxTokens = 12");
    expect(await runs(io, "config", "edit")).toBe(75);
    expect(io.stderr.text).toContain("your text is saved in /run/draft-settings.conf");
    io.stderr.text = "";
    io.fakeSys.answer("config.apply", () => ({ changed: [] }));
    io.editing = (text) => {
      expect(text).toContain("ai.maxTokens = 12");
      return text;
    };
    expect(await runs(io, "config", "edit")).toBe(0);
    expect(io.stderr.text).toContain("continuing your draft (delete /run/draft-settings.conf to start over)");
    expect(io.drafts.size).toBe(0);
  });
});

describe("a layer as text", () => {
  test("is read back unchanged, for any values", () => {
    const seed = 5;
    const random = seeded(seed);
    const texts = ["x", " a ", '"', "a = b # c", "#", "ü\n\tz", "\u2028", "\\", '"x"'];
    for (let round = 0; round < 300; round++) {
      const names = namesIn(true).filter(() => random.int(3) === 0);
      const values = Object.fromEntries(
        names.map((name) => {
          const setting: Setting = SETTINGS[name];
          const isFree = setting.type === "text" && !setting.isZone && !setting.isHours;
          return [name, isFree ? random.pick(texts) : canonicalValue(name, setting, setting.fallback)];
        }),
      );
      expect({ seed, round, values: valuesFrom(layerText(values, true)) }).toEqual({ seed, round, values });
    }
  });

  test("changes nothing if equal, and a repeated key is refused", () => {
    expect(changesBetween({ a: "1", b: "2" }, { a: "1", b: "3", c: "4" })).toEqual({ b: "3", c: "4" });
    expect(() => valuesFrom("ai.maxTokens = 1\nai/max_tokens = 2\n")).toThrow(SysError);
  });
});
