// `gsv auth setup` from start to end, and `--set` before any command.

import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { flagsFrom } from "../../src/client/flags.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

const SECRET = "sk-canary-setup-0123456789";

let io: FakeIo;
let settings: object[];

beforeEach(() => {
  io = new FakeIo().terminal();
  settings = [];
  io.fakeSys.answer("config.list", () => ({ settings }));
  io.fakeSys.answer("config.apply", ({ changes }: { changes: { [key: string]: string | null } }) => ({
    changed: Object.entries(changes).map(([key, value]) => ({
      ...{ key, layer: "user", whose: null },
      value: value === SECRET ? "set (sha256:0a1b…)" : value,
    })),
  }));
});

async function setUp(answers: readonly string[], typed: readonly string[] = []): Promise<object | undefined> {
  io.answers.push(...answers);
  io.hidden.push(...typed);
  expect(await runs(io, "auth", "setup")).toBe(0);
  const [{ changes } = {}] = io.fakeSys.asked("config.apply") as { changes?: object }[];
  return changes;
}

describe("gsv auth setup", () => {
  test("Enter for every question on a new home selects the offline provider", async () => {
    expect(await setUp([""])).toEqual({ "ai.provider": "offline", "ai.model": "offline", "ai.baseUrl": null });
    expect(io.stderr.text).not.toContain("yet");
  });

  test("a provider with a key: the key is asked for hidden, stored as a secret and shown nowhere", async () => {
    expect(await setUp(["2", ""], [SECRET])).toEqual({
      "ai.provider": "anthropic",
      "ai.baseUrl": null,
      "apiKeys.anthropic": SECRET,
      "ai.model": "anthropic:claude-sonnet-5-5",
    });
    expect(io.stdout.text).toContain("apiKeys.anthropic = set (sha256:0a1b…)");
    expect(io.stdout.text + io.stderr.text).not.toContain(SECRET);
    expect(io.stderr.text).toContain("this version cannot use anthropic");
    expect(io.stderr.text).toContain("gsv config set KEY");
  });

  test("a supported provider is not reported as missing", async () => {
    io.providers = ["offline", "anthropic"];
    await setUp(["anthropic", "m"], [""]);
    expect(io.stderr.text).not.toContain("yet");
  });

  test("another server has an address; an invalid one is asked for again", async () => {
    expect(await setUp(["5", "nowhere", "http://me:word@h/v1", "http://127.0.0.1:9/v1", ""], [""])).toEqual({
      "ai.provider": "openai",
      "ai.baseUrl": "http://127.0.0.1:9/v1",
      "ai.model": "openai",
    });
    expect(await setUp(["ollama", "", "qwen"])).toBeDefined();
  });

  test("values of the environment are shown, suggested and kept; stored values are suggested again", async () => {
    settings = [
      { key: "apiKeys.openai", layer: "environment", env: "OPENAI_API_KEY", shown: "set (sha256:1111…)" },
      { key: "ai.provider", layer: "default", shown: "" },
    ];
    expect(await setUp(["", ""], [""])).toEqual({
      "ai.provider": "openai",
      "ai.baseUrl": null,
      "ai.model": "openai:gpt-5.4",
    });
    expect(io.stderr.text).toContain("OPENAI_API_KEY for apiKeys.openai: set (sha256:1111…)");
    expect(io.questions.find((asked) => asked.includes("not shown"))).toContain(
      "Enter keeps what is in OPENAI_API_KEY",
    );
  });

  test("nothing is stored before the last answer", async () => {
    io.answers.push("2");
    io.person.ask = async (question: string) => {
      if (question.startsWith("model")) throw new SysError("ECANCELED", "cancelled: nothing was changed");
      return "2";
    };
    io.hidden.push(SECRET);
    expect(await runs(io, "auth", "setup")).toBe(130);
    expect(io.fakeSys.asked("config.apply")).toEqual([]);
  });

  test("without a terminal it exits 2 with the equivalent commands", async () => {
    io.stdin = stdinOf("pipe", ["2\n"]);
    expect(await runs(io, "auth", "setup")).toBe(2);
    expect(io.stderr.text).toContain("gsv config set apiKeys.anthropic < key.txt");
    expect(io.fakeSys.calls).toEqual([]);
  });
});

describe("--set", () => {
  test("works anywhere before --, any number of times, and no command sees it", async () => {
    io.fakeSys.answer("proc.list", () => ({ processes: [], next: null }));
    expect(await runs(io, "--set", "ai.model=offline", "ps", "--set=compaction.enabled=off", "--json")).toBe(0);
    expect(io.said).toEqual(["ai.model=offline", "compaction.enabled=off"]);
    expect(await runs(io, "ps", "--set")).toBe(2);
  });

  test("is checked like config set, in any spelling of the key", () => {
    expect(flagsFrom(["compaction/reserve_tokens=0012", "compaction.enabled=off", "ai.model=offline"])).toEqual({
      "compaction.reserveTokens": "12",
      "compaction.enabled": "false",
      "ai.model": "offline",
    });
    const refused: readonly (readonly [string, string])[] = [
      ["compaction.reservTokens=1", "ECONFIG"],
      ["compaction.enabled=perhaps", "ECONFIG"],
      ["ai.model=nobody", "ECONFIG"],
      [`ai.apiKey=${SECRET}`, "EUSAGE"],
      ["kernel.idleMs=5", "EPERM"],
      ["users/1000/userTimezone=UTC", "EUSAGE"],
      ["userTimezone", "EUSAGE"],
      ["userTimezone=", "EUSAGE"],
      ["=x", "EUSAGE"],
    ];
    for (const [said, code] of refused) {
      const error = faultOf(() => flagsFrom([said]));
      expect(`${said} ${error?.code}`).toBe(`${said} ${code}`);
      expect(`${error?.message} ${error?.hints.join(" ")}`).not.toContain(SECRET);
    }
    expect(faultOf(() => flagsFrom(["userTimezone=UTC", "user_timezone=UTC"]))?.code).toBe("EUSAGE");
  });
});

function faultOf(work: () => unknown): SysError | null {
  try {
    work();
    return null;
  } catch (error) {
    return error as SysError;
  }
}
