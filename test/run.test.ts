// Reporting of a test run: the counts come from the report, and tests that did not run never pass.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countOf, failuresIn, summaryOf } from "./support/junit.ts";
import { filesOfRun, lostFiles, TURNS } from "./support/turns.ts";

const scratch = mkdtempSync(join(tmpdir(), "gsv-run-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("passed and failed tests are counted from the report, without skipped ones", () => {
  const xml =
    '<?xml version="1.0"?>\n<testsuites name="bun test" tests="12" assertions="40" failures="2" skipped="3" time="1">';
  expect(summaryOf(countOf(xml, 0))).toBe("7 passed, 2 failed");
});

test("a test file that did not load counts as a failure, and a missing report passes nothing", () => {
  const xml = '<testsuites tests="5" failures="0" skipped="0"><testsuite tests="99" failures="9">';
  expect(countOf(xml, 2)).toEqual({ passed: 5, failed: 2 });
  expect(countOf("", 0)).toEqual({ passed: 0, failed: 0 });
});

test("failed tests are listed with their file, for a second run", () => {
  const xml = [
    '<testsuites><testsuite name="test/a.test.ts" file="test/a.test.ts" tests="2" failures="1">',
    '<testcase name="good" classname="" time="0" file="test/a.test.ts" line="2" assertions="0" />',
    '<testcase name="bad &amp; one" classname="" time="0" file="test/b.test.ts" line="3">',
    '  <failure type="AssertionError" message="no"></failure></testcase>',
  ].join("\n");
  expect(failuresIn(xml)).toEqual([{ file: "test/b.test.ts", title: "bad &amp; one" }]);
});

test("runs with seeds in a row have every file, each skips some, and each listed file exists", () => {
  const root = join(import.meta.dir, "..");
  const all = [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: root })];
  const runs = Array.from({ length: TURNS }, (_, seed) => filesOfRun(all, 6 + seed));
  expect(new Set(runs.flat()).size).toBe(all.length);
  for (const files of runs) expect(files.length).toBeLessThan(all.length);
  expect(lostFiles(all)).toEqual([]);
});

const CI = join(import.meta.dir, "..", ".ci", "run");
const NEEDED = ["bash", "cat", "dirname", "grep", "id", "mktemp", "rm", "sh", "tail", "tee", "timeout"];

function program(bin: string, name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** Runs .ci/run with an npm stub that prints this and exits with this status. */
async function continuousIntegration(output: string, status: number) {
  const bin = join(scratch, `bin-${Bun.hash(output + status)}`);
  mkdirSync(bin);
  program(bin, "npm", `printf '${output}'\nexit ${status}`);
  // Nothing is installed from here.
  program(bin, "chromium", "exit 1");
  const child = Bun.spawn([CI], {
    env: { PATH: `${bin}:/usr/bin:/bin`, CI: "true", TMPDIR: scratch },
    stdin: "ignore",
    stdout: "pipe",
  });
  const lines = (await child.stdout.text()).trimEnd().split("\n");
  return { last: lines.at(-1), status: await child.exited };
}

test("continuous integration passes on the status and ends with the line of counts", async () => {
  expect(await continuousIntegration("noise\\n12 passed, 0 failed\\n", 0)).toEqual({
    last: "12 passed, 0 failed",
    status: 0,
  });
  expect(await continuousIntegration("noise\\n11 passed, 1 failed\\n", 1)).toEqual({
    last: "11 passed, 1 failed",
    status: 1,
  });
});

test("a run without counts fails, whatever its status", async () => {
  expect(await continuousIntegration("gsv: cannot install\\n", 75)).toEqual({ last: "0 passed, 0 failed", status: 75 });
  expect(await continuousIntegration("nothing\\n", 0)).toEqual({ last: "0 passed, 0 failed", status: 1 });
});

test.skipIf(process.getuid?.() !== 0)(
  "without a browser it tries to install one, and goes on if that fails",
  async () => {
    const bin = join(scratch, "bare");
    mkdirSync(bin);
    for (const name of NEEDED) symlinkSync(Bun.which(name) ?? "", join(bin, name));
    program(bin, "npm", "echo '3 passed, 0 failed'");
    program(bin, "apt-get", `echo "$@" >> ${bin}/asked; [ "$1" = update ]`);
    const child = Bun.spawn([CI], { env: { PATH: bin, TMPDIR: scratch }, stdin: "ignore", stdout: "pipe" });
    expect(await child.stdout.text()).toBe(
      "no chromium within 90 s: the tests of the web console are skipped\n3 passed, 0 failed\n",
    );
    expect(await Bun.file(join(bin, "asked")).text()).toBe(
      "update\ninstall -y --no-install-recommends chromium fonts-dejavu-core\n",
    );
  },
);
