// What counts as green: the counts come out of the report, and what did not run is never passed.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countOf, failuresIn, summaryOf } from "./support/junit.ts";

const scratch = mkdtempSync(join(tmpdir(), "gsv-run-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("passed and failed are the report's own numbers, skipped tests are neither", () => {
  const xml =
    '<?xml version="1.0"?>\n<testsuites name="bun test" tests="12" assertions="40" failures="2" skipped="3" time="1">';
  expect(summaryOf(countOf(xml, 0))).toBe("7 passed, 2 failed");
});

test("a test file that did not load counts as a failure, and no report is nothing passed", () => {
  const xml = '<testsuites tests="5" failures="0" skipped="0"><testsuite tests="99" failures="9">';
  expect(countOf(xml, 2)).toEqual({ passed: 5, failed: 2 });
  expect(countOf("", 0)).toEqual({ passed: 0, failed: 0 });
});

test("what failed is named with its file, for a second look", () => {
  const xml = [
    '<testsuites><testsuite name="test/a.test.ts" file="test/a.test.ts" tests="2" failures="1">',
    '<testcase name="good" classname="" time="0" file="test/a.test.ts" line="2" assertions="0" />',
    '<testcase name="bad &amp; one" classname="" time="0" file="test/b.test.ts" line="3">',
    '  <failure type="AssertionError" message="no"></failure></testcase>',
  ].join("\n");
  expect(failuresIn(xml)).toEqual([{ file: "test/b.test.ts", title: "bad &amp; one" }]);
});

/** Runs .ci/run with an npm that prints and exits as told. */
async function continuousIntegration(output: string, status: number) {
  const bin = join(scratch, `bin-${Bun.hash(output + status)}`);
  mkdirSync(bin);
  writeFileSync(join(bin, "npm"), `#!/bin/sh\nprintf '${output}'\nexit ${status}\n`);
  chmodSync(join(bin, "npm"), 0o755);
  const child = Bun.spawn([join(import.meta.dir, "..", ".ci", "run")], {
    env: { PATH: `${bin}:/usr/bin:/bin`, CI: "true", TMPDIR: scratch },
    stdin: "ignore",
    stdout: "pipe",
  });
  const lines = (await child.stdout.text()).trimEnd().split("\n");
  return { last: lines.at(-1), status: await child.exited };
}

test("continuous integration passes the status on and ends with the line of counts", async () => {
  expect(await continuousIntegration("noise\\n12 passed, 0 failed\\n", 0)).toEqual({
    last: "12 passed, 0 failed",
    status: 0,
  });
  expect(await continuousIntegration("noise\\n11 passed, 1 failed\\n", 1)).toEqual({
    last: "11 passed, 1 failed",
    status: 1,
  });
});

test("a run that never came to its counts is no success, whatever status it left", async () => {
  expect(await continuousIntegration("gsv: cannot install\\n", 75)).toEqual({ last: "0 passed, 0 failed", status: 75 });
  expect(await continuousIntegration("nothing\\n", 0)).toEqual({ last: "0 passed, 0 failed", status: 1 });
});
