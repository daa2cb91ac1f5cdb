import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { looksLikeFlag, timeoutMs, usageLine } from "../../commands/args.ts";
import { takeFlags } from "../../commands/flags.ts";
import { parseCommandLine } from "../../commands/parse.ts";
import { exitStatusOf } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { refusal, rejection } from "../support/refusal.ts";

const spec = {
  name: "try it",
  summary: "Try",
  examples: [],
  input: {
    word: field.optional(field.text("a word", { positional: true, meta: "WORD" })),
    uid: field.optional(field.uid("an account")),
    limit: field.withDefault(field.int("how many", { min: 1, max: 500, letter: "n", meta: "N" }), 50),
    pid: field.optional(field.pid("a process", { meta: "PID" })),
    afterSeq: field.optional(field.int("after", { flag: "after" })),
    profile: field.optional(field.choice("kind", ["task", "review"])),
    options: field.optional(field.object("more")),
    noArchive: field.flag("throw away"),
    quiet: field.flag("loud", { flag: "no-noise" }),
    secret: field.optional(field.text("hidden", { hide: "cli" })),
  },
};
const many = {
  name: "many",
  summary: "Many",
  examples: [],
  input: { pids: field.pids("processes", { positional: true, meta: "PID..." }) },
};

test("a repeatable flag is given once per value", async () => {
  const attached = { ...many, input: { attach: field.optional(field.paths("files", { letter: "a", meta: "FILE" })) } };
  const result = await parseCommandLine(attached, ["-a", "one.png", "--attach", "two.png"]);
  expect(result).toMatchObject({ values: { attach: ["one.png", "two.png"] } });
});

async function parsed(...args: string[]) {
  const result = await parseCommandLine(spec, args);
  if (result === "help") throw new Error("help");
  return { ...result.values, json: result.json };
}

test("a line without flags is parsed as Commander would, without Commander", async () => {
  const token = fc.oneof(fc.constantFrom("--json", "-", "", "=", "json", "a b", "init:1000"), fc.string());
  const line = fc.array(
    token.filter((each) => each === "--json" || !looksLikeFlag(each)),
    { maxLength: 5 },
  );
  const words = { ...many, input: { words: field.optional(field.words("any", { positional: true })) } };
  await fc.assert(
    fc.asyncProperty(line, async (args) => {
      const read = takeFlags(words, args, new Map());
      const values = read.words.length === 0 ? {} : { words: [...read.words] };
      expect(await parseCommandLine(words, args)).toEqual({ values, json: read.json });
    }),
    { seed: 20260117 },
  );
});

describe("accepted values", () => {
  const cases: [args: string[], values: object][] = [
    [[], {}],
    [["hello"], { word: "hello" }],
    [["--uid", "1000"], { uid: 1000 }],
    [["--uid=1000"], { uid: 1000 }],
    [["-n", "3"], { limit: 3 }],
    [["--limit", "007"], { limit: 7 }],
    [["hello", "--limit", "3"], { word: "hello", limit: 3 }],
    [["--limit", "3", "hello"], { word: "hello", limit: 3 }],
    [["--after", "0"], { afterSeq: 0 }],
    [["--pid", "task:abc123"], { pid: "task:abc123" }],
    [["--profile", "review"], { profile: "review" }],
    [["--options", '{"a":1}'], { options: { a: 1 } }],
    [["--no-archive"], { noArchive: true }],
    [["--no-archive", "--no-archive"], { noArchive: true }],
    [["--no-noise"], { quiet: false }],
    [["--json"], { json: true }],
    [["-"], { word: "-" }],
    [["--", "--uid"], { word: "--uid" }],
    [["--", "--json"], { word: "--json" }],
    [["--", "--help"], { word: "--help" }],
    [[""], { word: "" }],
    [["  spaces stay  "], { word: "  spaces stay  " }],
    [["a=b"], { word: "a=b" }],
    [["__proto__"], { word: "__proto__" }],
  ];
  test.each(cases)("%j", async (args, values) => {
    expect(await parsed(...args)).toEqual({ limit: 50, json: false, ...values } as never);
  });

  test("several pids are one argument", async () => {
    expect(await parseCommandLine(many, ["task:abc123", "init:1000"])).toEqual({
      values: { pids: ["task:abc123", "init:1000"] },
      json: false,
    });
  });

  test("help wins anywhere, but not after --", async () => {
    expect(await parseCommandLine(spec, ["--nonsense", "-h"])).toBe("help");
    expect(await parseCommandLine(spec, ["--help"])).toBe("help");
  });
});

describe("refused with exit 2 and the usage", () => {
  const cases: [args: string[], says: string][] = [
    [["--uid", "--limit", "3"], "--uid needs a value, and --limit looks like a flag"],
    [["--uid", "-1"], "--uid needs a value, and -1 looks like a flag"],
    [["--uid=-1"], "--uid must be a whole number in decimal digits"],
    [["--uid"], "--uid needs a value"],
    [["--uid", "--"], "--uid needs a value"],
    [["--limit", "0"], "--limit must be a whole number from 1 to 500"],
    [["--limit", "501"], "--limit must be a whole number from 1 to 500"],
    [["--limit", "0x10"], "decimal digits"],
    [["--limit", "1e2"], "decimal digits"],
    [["--limit", "１２"], "decimal digits"],
    [["--limit", " 5"], "decimal digits"],
    [["--limit", "5k"], "decimal digits"],
    [["--limit", "5.0"], "decimal digits"],
    [["--limit", "+5"], "decimal digits"],
    [["--limit", ""], "decimal digits"],
    [["--limit", "NaN"], "decimal digits"],
    [["--uid", "4294967295"], "--uid must be a whole number from 0 to 4294967294"],
    [["--after", "9007199254740993"], "--after must be a whole number"],
    [["--after", "99999999999999999999"], "to 9007199254740991, not 99999999999999999999"],
    [["--limit", "9".repeat(400)], `, not ${"9".repeat(59)}…`],
    [["--limit", "3", "--limit", "4"], "--limit is given twice"],
    [["-n", "3", "--limit", "4"], "--limit is given twice"],
    [["--secret", "x"], "unknown flag --secret"],
    [["--__proto__", "x"], "unknown flag --__proto__"],
    [["--constructor"], "unknown flag --constructor"],
    [["-5 degrees"], "unknown flag -5 degrees"],
    [["-x"], "unknown flag -x"],
    [["--no-archive=true"], "--no-archive takes no value"],
    [["--json=1"], "--json takes no value"],
    [["--profile", "Task"], "--profile must be one of task, review"],
    [["--options", "[1]"], "--options must be an object"],
    [["--options", "{"], "--options must be a JSON object"],
    [["--options", "[".repeat(100_000)], "--options must be a JSON object"],
    [["hello", "there"], "unexpected argument there"],
  ];
  test.each(cases)("%j", async (args, says) => {
    const error = await rejection(parsed(...args));
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("\n");
    expect(error.message.length).toBeLessThan(200);
    expect(exitStatusOf(error)).toBe(2);
    expect(error.hints.at(-1)).toBe("usage: gsv try it [FLAGS] [WORD]  (flags: --help)");
  });

  test("flags are listed if they are few, otherwise the help is named", async () => {
    const usageOf = async (input: object) => {
      const error = await rejection(parseCommandLine({ ...many, input: { ...many.input, ...input } }, ["--x"]));
      return error.hints.at(-1);
    };
    const names = Array.from({ length: 20 }, (_, at) => [`number${at}`, field.optional(field.int("one more"))]);
    expect(await usageOf({})).toBe("usage: gsv many PID... [--json]");
    expect(await usageOf({ ...Object.fromEntries(names), key: field.int("needed") })).toBe(
      "usage: gsv many [FLAGS] PID... --key KEY  (flags: --help)",
    );
  });

  test("a missing argument is named", async () => {
    expect((await rejection(parseCommandLine(many, []))).message).toBe("PID is missing: processes");
  });

  test("a wrong choice is answered with its name once and the allowed values", async () => {
    const input = { mode: field.choice("how much", ["plan", "ask"], { positional: true }) };
    const error = await rejection(parseCommandLine({ ...many, input }, ["foo"]));
    expect(error.message).toBe('MODE must be one of plan, ask, not "foo"');
    expect((await rejection(parseCommandLine({ ...many, input }, []))).message).toBe("MODE is missing: how much");
  });

  test("a mistyped flag gets the nearest one, and an unquoted text gets advice about quotes", async () => {
    const mistyped = await rejection(parsed("--limt", "3"));
    expect([mistyped.message, mistyped.hints]).toEqual(["unknown flag --limt", ["did you mean --limit"]]);
    expect(exitStatusOf(mistyped)).toBe(2);
    expect((await rejection(parsed("a", "b"))).hints).toContain("text of several words needs quotes around it");
  });

  test("an error message contains no control characters of an argument", async () => {
    expect((await rejection(parsed("--limit", "\x1b[2J\u202e5"))).message).toContain("␛[2J⟨U+202E⟩5");
  });
});

test("an impossible pid reads like a missing one", async () => {
  for (const pid of ["", "init:01", "task:ABC123", "no\npe", "init:1000\n"]) {
    const error = await rejection(parsed("--pid", pid));
    expect(error.message).toStartWith("no such process");
    expect(exitStatusOf(error)).toBe(3);
  }
});

test("the usage shows optional parts, and no hidden ones", () => {
  expect(usageLine(spec)).toBe(
    "gsv try it [WORD] [--uid UID] [--limit N] [--pid PID] [--after AFTERSEQ] [--profile task|review] [--options OPTIONS] [--no-archive] [--no-noise] [--json]",
  );
});

test("timeouts are decimal seconds above zero, or carry a unit", async () => {
  expect(timeoutMs(spec, "30")).toBe(30_000);
  for (const [text, ms] of [
    ["2s", 2000],
    ["500ms", 500],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
  ] as const)
    expect(timeoutMs(spec, text)).toBe(ms);
  expect(timeoutMs(spec, "0.25")).toBe(250);
  expect(timeoutMs(spec, undefined)).toBeNull();
  expect(refusal(() => timeoutMs(spec, "999999999")).message).toContain("may be at most 99999999 seconds");
  for (const bad of ["5d", "0s", "s", "2 s", "0", "0.0", "-1", "1e3", "", "1.", ".5", "999999999"]) {
    expect(exitStatusOf(refusal(() => timeoutMs(spec, bad)))).toBe(2);
  }
});
