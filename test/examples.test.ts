// Every command and flag for scripts has a tested example: in the README, the manual or a transcript. A new one needs an example.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { flagsOf } from "../commands/args.ts";
import { GLOBAL_FLAGS } from "../commands/global-flags.ts";
import { commandNamed } from "../commands/man/command-tree.ts";
import { COMMANDS } from "../commands/table.ts";
import { examplesOf } from "./support/examples.ts";

const ROOT = join(import.meta.dir, "..");

/** Commands for scripts, as typed, each with the flags that need an example. */
const SHOWN: readonly (readonly [command: string, ...flags: readonly string[]])[] = [
  ["chat", "-", "--output json", "--json", "--input jsonl", "--schema", "-x", "--last-message", "-a", "--timeout"],
  [
    "chat",
    "--max-turns",
    "--budget",
    "--model",
    "--system",
    "--no-tools",
    "--plan",
    "--new",
    "-c",
    "--pid",
    "--detach",
  ],
  ["schema", "events"],
  ["explain", "exit"],
  ["run", "--", "--rm"],
  ["wait", "-n", "--timeout"],
  ["nice"],
  ["renice"],
  ["pipe", "--rm", "<"],
  ["logs", "--since"],
  ["strace", "-e trace=shell,fs", "-c", "-f", "-o"],
  ["lsof"],
  ["pmap"],
  ["perf"],
  ["events", "-f"],
  ["last"],
  ["w"],
  ["uptime"],
  ["audit"],
  ["top", "--once", "--json"],
  ["debug"],
  ["bugreport"],
  ["completion"],
  ["man"],
];

function read(...path: string[]): string {
  return readFileSync(join(ROOT, ...path), "utf8");
}

/** Command lines that a test runs. */
function executed(): string[] {
  const pages = readdirSync(join(ROOT, "src/prompts/manual")).map((name) => read("src/prompts/manual", name));
  const transcripts = readdirSync(join(ROOT, "test/transcripts")).filter((name) => name.endsWith(".sh"));
  return [
    ...[read("README.md"), ...pages].flatMap((text) => examplesOf(text).map(({ command }) => command)),
    ...transcripts.flatMap((name) => read("test/transcripts", name).split("\n")).filter((line) => /^[^#\s]/.test(line)),
  ];
}

/** The gsv commands in a line, each up to the operator that ends it. */
function callsIn(line: string): string[] {
  return [...line.matchAll(/(?<![\w./-])gsv ((?:"[^"]*"|'[^']*'|[^|;&)])*)/g)].map(([, call = ""]) => call.trim());
}

type Shown = (typeof SHOWN)[number];

function missingIn(lines: readonly string[], shown: readonly Shown[]): string[] {
  const calls = lines.flatMap(callsIn);
  return shown.flatMap(([command, ...flags]) => {
    const own = calls.filter((call) => call === command || call.startsWith(`${command} `));
    const missing = flags.filter((flag) => !own.some((call) => ` ${call} `.includes(` ${flag} `)));
    return own.length === 0 ? [command] : missing.map((flag) => `${command} ${flag}`);
  });
}

/** The commands and flags that exist. */
async function declared(): Promise<readonly Shown[]> {
  const found = await Promise.all(
    SHOWN.map(async ([name, ...flags]) => {
      const command = await commandNamed(COMMANDS, [name]);
      if (command === null) return [];
      const own = flagsOf(command.spec.input);
      const has = (flag: string) => !/^--?\w/.test(flag) || flag === "--json" || own.has(flag.split(" ")[0] ?? "");
      return [[name, ...flags.filter(has)] as const];
    }),
  );
  return found.flat();
}

test("every listed command and flag has an example that runs", async () => {
  expect(missingIn(executed(), await declared())).toEqual([]);
});

test("every global flag has an example, and so has xargs", () => {
  const lines = executed();
  for (const flag of Object.keys(GLOBAL_FLAGS))
    expect(lines.some((line) => line.includes(`${flag} `) || line.endsWith(flag))).toBe(true);
  expect(lines.some((line) => /xargs -P4 .*gsv chat/.test(line))).toBe(true);
});

test("a missing example is found", () => {
  expect(
    missingIn(["gsv wait -n $A", "x=$(gsv wait --timeout 3 $B); gsv nice"], [["wait"], ["nice"], ["pmap"]]),
  ).toEqual(["pmap"]);
  expect(missingIn(["gsv wait $A"], [["wait", "-n", "--timeout"]])).toEqual(["wait -n", "wait --timeout"]);
});
