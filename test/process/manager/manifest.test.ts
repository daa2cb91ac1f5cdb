// What a process manager promises, row by row: all of it is there, and each row has a test of that title.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "../../../src/abi/config/config.ts";
import { ProcessManager } from "../../../src/process/manager/manager.ts";
import { ManagedKernel } from "../../support/manager.ts";
import {
  CONFIGURATION,
  CONSTANTS,
  CONSTRUCTION,
  ERRORS,
  EXAMPLES,
  INVARIANTS,
  METHODS,
  PROPERTIES,
  type Row,
} from "./manifest.ts";

const TESTS = join(import.meta.dir, "../..");
const ROWS: readonly (readonly [name: string, row: Row])[] = [
  ...[METHODS, PROPERTIES, CONSTRUCTION, EXAMPLES, ERRORS, CONFIGURATION].flatMap((each) => Object.entries(each)),
  ...INVARIANTS,
];

function titles(): string {
  const files = [...new Bun.Glob("{commands,process,prompts}/**/*.test.ts").scanSync(TESTS)];
  return files.map((file) => readFileSync(join(TESTS, file), "utf8")).join("\n");
}

test("every row has its tests, by their titles", () => {
  const text = titles();
  const missing = ROWS.flatMap(([name, { tests }]) =>
    tests.filter((title) => !text.includes(`"${title}"`)).map((title) => `${name}: ${title}`),
  );
  expect(missing).toEqual([]);
  expect(ROWS.filter(([, { tests }]) => tests.length === 0)).toEqual([]);
});

test("no row is left out: 20 methods, 2 properties, 5 effects, 14 invariants, 6 examples, 7 errors, 2 variables", () => {
  const counts = [METHODS, PROPERTIES, CONSTRUCTION, INVARIANTS, EXAMPLES, ERRORS, CONFIGURATION];
  expect(counts.map((each) => Object.keys(each).length)).toEqual([20, 2, 5, 14, 6, 7, 2]);
});

test("every method and property is there under its name, and takes what it is meant to take", async () => {
  await using it = await ManagedKernel.boot();
  for (const name of Object.keys(METHODS))
    expect([name, typeof Reflect.get(it.manager, name)]).toEqual([name, "function"]);
  for (const name of Object.keys(PROPERTIES))
    expect([name, typeof Reflect.get(it.manager, name)]).toEqual([name, "object"]);
  // Of those that must be given: what may be left out does not count.
  expect(ProcessManager.length).toBe(1);
  const taken = ["startProcess", "resumeProcess", "stopProcess", "sendMessage", "subscribe", "extendTimeout"] as const;
  expect(taken.map((name) => it.manager[name].length)).toEqual([2, 2, 1, 2, 2, 2]);
});

test.each(Object.entries(CONSTANTS))("%s is what it is meant to be", (_, [meant, here]) => {
  expect(here).toBe(meant);
});

test("the half hour of a run and the chair of a council are settings, and variables set them", () => {
  expect(SETTINGS["run.timeoutMs"]).toMatchObject({ fallback: "1800000", env: "AGENT_TIMEOUT_MS" });
  expect(SETTINGS["council.model"]).toMatchObject({ env: "COUNCIL_MODEL" });
  expect(SETTINGS["session.contextResetTurns"]).toMatchObject({ fallback: "8" });
});

test("nothing else in gsv knows it: it is the words of others for what is there", () => {
  const files = [...new Bun.Glob("{src,commands,fs,tui}/**/*.{ts,tsx}").scanSync(join(TESTS, ".."))];
  const importing = files.filter((file) => {
    const text = readFileSync(join(TESTS, "..", file), "utf8");
    return /from "[^"]*\/manager\.ts"/.test(text);
  });
  expect(importing).toEqual([]);
});
