// `npm test`: type-check, lint and the tests; slow files take turns (support/turns.ts). Ends with one line `N passed, N failed` from the JUnit report. Exits 1 if there are no
// tests, a file does not load or a check fails. Arguments go to `bun test`: `npm test -- ./test/fs` runs one folder. On a busy machine a
// test can miss its deadline, so a few failing files are run once more, alone. Tests that pass then are reported as unsteady and need a
// fix; a soak has no second run.

import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type Count, countOf, type Failure, failuresIn, summaryOf } from "./support/junit.ts";
import { scratchForRun } from "./support/scratch.ts";
import { filesOfRun } from "./support/turns.ts";

const ROOT = dirname(import.meta.dir);
// Tests with real processes have their own deadlines; this one catches hangs.
const TEST_TIMEOUT_MS = 20_000;
/** More failing files than this are no coincidence. */
const SECOND_LOOKS_MAX = 3;
const BIN = join(ROOT, "node_modules", ".bin");
// Tests run most code a few times: the last step of optimizing compilation costs more than it saves.
const SHORT_LIVED = { BUN_JSC_useFTLJIT: "0" };
/** Concurrent tests in one file. */
const SIDE_BY_SIDE_MAX = 4;
/** One seed for the whole run, so that a second run tests the same. */
const SEED = process.env.GSV_SEED ?? String(Date.now() % 100_000);
const INCREMENTAL = ["--incremental", "--tsBuildInfoFile", join(ROOT, "dist", "types.tsbuildinfo")];
const BEHIND = Bun.which("nice") === null ? [] : ["nice", "-n", "19"];

interface Step {
  readonly title: string;
  readonly argv: readonly string[];
  /** A check prints only when it fails. */
  readonly quiet: boolean;
}

/** Runs the whole suite; resolves to the exit status. */
export async function runTests(options: {
  args: readonly string[];
  env: Record<string, string>;
  timeoutMs: number;
  checks: boolean;
  secondLook: boolean;
  /** Slow files take turns. */
  turns: boolean;
}): Promise<number> {
  const scratch = scratchForRun();
  const report = join(scratch, "junit.xml");
  const temporary = join(scratch, "tmp");
  // Tests for root start a process of another user, which works on files in there.
  chmodSync(scratch, 0o711);
  mkdirSync(temporary, { mode: 0o711 });
  // No test may find the user's own home or gsv variables of their shell. Files left in the temporary directory are deleted with the run.
  const own = { GSV_HOME: join(scratch, "home"), TMPDIR: temporary, GSV_SEED: SEED };
  const env = { ...ownEnvironment(), ...own, ...options.env };
  // More workers than cores: tests that wait for real processes leave their core idle.
  const together = [
    `--parallel=${availableParallelism() + 2}`,
    "--no-isolate",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ];
  const testing = (args: readonly string[]) => {
    const limits = [`--timeout=${options.timeoutMs}`, `--max-concurrency=${SIDE_BY_SIDE_MAX}`];
    const argv = [process.execPath, "test", "--only-failures", ...limits, ...args];
    return runStep({ title: "tests", argv, quiet: false }, env);
  };
  const files = options.args.length > 0 ? [] : filesOf(options);
  try {
    const checks = options.checks ? runChecks(env) : Promise.resolve(true);
    // Tests that run gsv use the binary if it is newer than the sources, which is four times as fast.
    const isBuilt = options.args.length > 0 || (await runBuilds(env));
    const firstPassed = await testing([...together, ...options.args, ...files.map((file) => `./${file}`)]);
    const checksPassed = await checks;
    const left = readdirSync(temporary);
    if (left.length > 0) say(`left behind in the temporary directory: ${left.sort().join(" ")}`);
    const isWhole = options.args.length === 0;
    const first = await counted(report, files);
    const looked = !firstPassed && options.secondLook && isWhole ? await lookedAtAgain(report, first, testing) : null;
    const [testsPassed, count] = looked === null ? [firstPassed, first] : [true, looked];
    if (first.failed > 0) say(`GSV_SEED=${SEED} npm test draws the same again`);
    process.stdout.write(`${summaryOf(count)}\n`);
    return checksPassed && isBuilt && testsPassed && count.failed === 0 && count.passed > 0 ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function filesOf(options: { readonly turns: boolean }): readonly string[] {
  const all = testFiles();
  if (!options.turns) return all;
  const files = filesOfRun(all, Number(SEED));
  say(`${all.length - files.length} slow files run next time; npm run soak runs all`);
  return files;
}

async function counted(report: string, files: readonly string[]): Promise<Count> {
  const file = Bun.file(report);
  const xml = (await file.exists()) ? await file.text() : "";
  const unloaded = files.filter((path) => !xml.includes(`file="${path}"`));
  for (const path of unloaded) say(`${path}: did not run to its first test`);
  const count = countOf(xml, unloaded.length);
  if (count.passed + count.failed === 0) say("no tests ran");
  return count;
}

/** The counts if every failed test passes alone; null if not, or if there are too many. */
async function lookedAtAgain(
  report: string,
  count: Count,
  testing: (args: readonly string[]) => Promise<boolean>,
): Promise<Count | null> {
  const failures: readonly Failure[] = failuresIn(await Bun.file(report).text());
  const files = [...new Set(failures.map(({ file }) => file))];
  if (failures.length !== count.failed || files.length === 0 || files.length > SECOND_LOOKS_MAX) return null;
  say(`a second look, alone: ${files.join(" ")}`);
  if (!(await testing(files.map((file) => `./${file}`)))) return null;
  for (const { file, title } of failures) say(`NOT STEADY, passed alone: ${file}: ${title}`);
  return { passed: count.passed + count.failed, failed: 0 };
}

// Runs next to the tests at low priority: it only uses idle cores, so tests with deadlines are not delayed.
async function runChecks(env: Record<string, string>): Promise<boolean> {
  const passed = await Promise.all([
    runStep(
      {
        title: "type-check",
        // A second run checks only what has changed since the first.
        argv: [...BEHIND, process.execPath, join(BIN, "tsc"), "--noEmit", "--pretty", "false", ...INCREMENTAL],
        quiet: true,
      },
      env,
    ),
    runStep(
      {
        title: "type-check of the web console",
        argv: [...BEHIND, process.execPath, join(BIN, "tsc"), "--noEmit", "--pretty", "false", "-p", "tui/web"],
        quiet: true,
      },
      env,
    ),
    runStep(
      {
        title: "lint",
        argv: [...BEHIND, process.execPath, join(BIN, "biome"), "ci", "--colors=off", "."],
        quiet: true,
      },
      env,
    ),
  ]);
  return passed.every(Boolean);
}

async function runBuilds(env: Record<string, string>): Promise<boolean> {
  const built = await Promise.all([
    runStep({ title: "build", argv: [process.execPath, join(ROOT, "src", "build.ts")], quiet: true }, env),
    runStep(
      {
        title: "build of the kernel that dies",
        argv: [process.execPath, join(ROOT, "test", "support", "program.ts")],
        quiet: true,
      },
      env,
    ),
  ]);
  return built.every(Boolean);
}

async function runStep(step: Step, env: Record<string, string>): Promise<boolean> {
  const child = Bun.spawn([...step.argv], {
    cwd: ROOT,
    env,
    stdin: "ignore",
    stdout: step.quiet ? "pipe" : "inherit",
    stderr: step.quiet ? "pipe" : "inherit",
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const passed = (await child.exited) === 0;
  if (!passed) say(`${output}${errors}${step.title} failed`);
  return passed;
}

function textOf(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
  return stream === undefined ? Promise.resolve("") : new Response(stream).text();
}

function testFiles(): string[] {
  return [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: ROOT })].sort();
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => {
      return entry[1] !== undefined && !/^(?:GSV_|BUN_|NODE_|npm_)|_API_KEY$|_BASE_URL$/.test(entry[0]);
    }),
  );
}

function say(text: string): void {
  process.stderr.write(`${text.trimEnd()}\n`);
}

if (import.meta.main) {
  process.exitCode = await runTests({
    args: process.argv.slice(2),
    env: SHORT_LIVED,
    timeoutMs: TEST_TIMEOUT_MS,
    checks: true,
    secondLook: true,
    turns: true,
  });
}
