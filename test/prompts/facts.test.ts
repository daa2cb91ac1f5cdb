// Numbers and names in the manual are those of the code: limits, settings, script keys, hook events, quoting.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { SETTING_NAMES, SETTINGS } from "../../src/abi/config/config.ts";
import { CLIENT_ENV, SECRET_ENV } from "../../src/abi/config/environment.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { HOOK_EVENTS } from "../../src/abi/hook.ts";
import { NO_USAGE, PROFILES, STATES } from "../../src/abi/process/process.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { parseScript, ScriptFault } from "../../src/providers/script/script-file.ts";

const README = readFileSync(`${import.meta.dir}/../../README.md`, "utf8");

function section(heading: string): string {
  const found = MANUAL.find((each) => each.heading === heading);
  if (found === undefined) throw new Error(`no section ${heading}`);
  return found.text;
}

/** The words that an error of the script reader lists after "known:" or "one of". */
function listed(line: string): string[] {
  try {
    parseScript(line);
  } catch (error) {
    if (error instanceof ScriptFault) return /(?:known:|one of) (.*)$/.exec(error.message)?.[1]?.split(", ") ?? [];
  }
  return [];
}

const MIB = 1024 * 1024;

describe("the limits in the manual are the limits of the code", () => {
  const counts = {
    messageCharsMax: "characters",
    queueRowsMax: "messages or",
    noticesMax: "notices of",
    turnsPerRunMax: "turns",
    toolCallsPerTurnMax: "tool calls",
    processesPerOwnerMax: "for each account",
    labelCharsMax: "characters",
    pathBytesMax: "bytes",
    searchMatchesMax: "matches",
    historyPageDefault: "messages unless",
    pidsPerCallMax: "pids",
  } as const;

  test.each(Object.entries(counts))("%s", (name, unit) => {
    const number = LIMITS[name as keyof typeof counts].toLocaleString("en-US");
    expect(section("Limits and maximum sizes")).toContain(`${number} ${unit}`);
  });

  test("sizes and depths", () => {
    const text = section("Limits and maximum sizes");
    expect(text).toContain(`${LIMITS.queueBytesMax / MIB} MiB. A full one`);
    expect(text).toContain(`nested ${LIMITS.spawnDepthMax} deep`);
    expect(text).toContain(`fs write\`: ${LIMITS.frameBytesMax / MIB} MiB`);
    expect(text).toContain(`searched: ${LIMITS.fileBytesMax / MIB} MiB`);
    expect(text).toContain(`at most ${LIMITS.historyPageMax}`);
    const shown = section("Limits of a model request");
    expect(shown).toContain(`${LIMITS.toolOutputBytesMax / 1024} KiB`);
    expect(shown).toContain(`history ${LIMITS.contextBytesMax / MIB} MiB`);
    expect(shown).toContain(`last ${LIMITS.syscallLogRowsMax.toLocaleString("en-US")} calls`);
  });
});

describe("the manual has every name", () => {
  test("environment variables, each kernel time with its value", () => {
    const text = section("All environment variables");
    for (const name of ["GSV_HOME", "GSV_KERNEL", "USER", ...CLIENT_ENV]) expect(text).toContain(name);
    const settings = section("Kernel settings");
    const kernelTimes = Object.entries(SETTINGS).filter(([key]) => key.startsWith("kernel."));
    for (const [, { env, fallback }] of kernelTimes) expect(settings).toContain(`\`${env}\` (${fallback})`);
  });

  test("settings by group, and every variable of a secret", () => {
    const text = section("List settings");
    for (const key of SETTING_NAMES) expect(text).toContain(`\`${key.split(".")[0]}`);
    for (const name of SECRET_ENV) expect(section("All environment variables")).toContain(name);
  });

  test("states and profiles", () => {
    for (const state of STATES) expect(section("Process states")).toContain(`\`${state}\``);
    for (const profile of PROFILES) expect(section("Profiles")).toContain(`\`${profile}\``);
  });

  test("keys, error classes, stop values and usage keys of a script, all in its first section", () => {
    const text = section("Play answers from a file");
    const names = [
      ...listed('{"nonsense":1}'),
      ...listed('{"text":"a","stop":"nonsense"}'),
      ...listed('{"error":{"class":"nonsense"}}'),
      ...Object.keys(NO_USAGE),
    ];
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) expect(text).toContain(`\`${name}\``);
  });
});

describe("lines to copy work in a shell", () => {
  const lines = [...MANUAL.flatMap((each) => each.commands), ...README.split("\n")];

  test("a path inside gsv that begins with ~ is quoted, and one section says why", () => {
    const bare = lines.filter((line) => /\bgsv (?:fs|proc)\b/.test(line) && /(?<=\s)~/.test(line));
    expect(bare).toEqual([]);
    expect(section("Quote paths that begin with ~")).toContain("your home inside gsv");
  });

  test("no line of a page is wider than a terminal can wrap in two", () => {
    for (const { commands } of MANUAL) for (const command of commands) expect(command.length).toBeLessThanOrEqual(120);
  });
});

test("every hook event is in the manual, with its time and its fields", () => {
  const text = section("Hook events");
  for (const [name, { when, says }] of Object.entries(HOOK_EVENTS))
    expect(text).toContain(`- \`${name}\`: ${when}. \`${says}\``);
});
