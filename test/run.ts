// What `npm test` runs: type-check, lint and every test, ending with one line `N passed, N failed` taken from the JUnit
// report. Nothing counts as green that did not run: no tests, a file that did not load or a failed check exits 1.
// Arguments go to `bun test`: `npm test -- ./test/fs` runs one folder.
//
// A machine that others use too can push one test past its deadline. So where a few files fail in a whole run, each has one second look,
// alone. What passes then is named, loudly, as not steady: it is to be mended, and a soak gives no second look.

import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type Count, countOf, type Failure, failuresIn, summaryOf } from "./support/junit.ts";
import { scratchForRun } from "./support/scratch.ts";

const ROOT = dirname(import.meta.dir);
// Tests with real processes have deadlines of their own; this one is for what hangs.
const TEST_TIMEOUT_MS = 20_000;
/** More than so many files do not fail by chance. */
const SECOND_LOOKS_MAX = 3;
const BIN = join(ROOT, "node_modules", ".bin");
// What a test does it does a few times: code that is compiled for the long run costs more than it saves there.
const SHORT_LIVED = { BUN_JSC_useFTLJIT: "0", BUN_JSC_thresholdForOptimizeAfterWarmUp: "5000" };
/** Of the tests in a file that may run side by side. */
const SIDE_BY_SIDE_MAX = 4;
/** One for the whole run, so that a second look is at the same. */
const SEED = process.env.GSV_SEED ?? String(Date.now() % 100_000);
const BEHIND = Bun.which("nice") === null ? [] : ["nice", "-n", "19"];

interface Step {
  readonly title: string;
  readonly argv: readonly string[];
  /** A check speaks only when it fails. */
  readonly quiet: boolean;
}

/** Runs the whole suite; resolves to the exit status. */
export async function runTests(options: {
  args: readonly string[];
  env: Record<string, string>;
  timeoutMs: number;
  checks: boolean;
  secondLook: boolean;
}): Promise<number> {
  const scratch = scratchForRun();
  const report = join(scratch, "junit.xml");
  const temporary = join(scratch, "tmp");
  // Root's tests have a process that is somebody else work on files in there.
  chmodSync(scratch, 0o711);
  mkdirSync(temporary, { mode: 0o711 });
  // No test may find the home of the person who runs it, nor what their shell sets for their own gsv, and what one leaves
  // in the temporary directory goes with the run.
  const own = { GSV_HOME: join(scratch, "home"), TMPDIR: temporary, GSV_SEED: SEED };
  const env = { ...ownEnvironment(), ...own, ...options.env };
  // One worker more than cores: what waits for real processes leaves its core to another.
  const together = [
    `--parallel=${availableParallelism() + 1}`,
    "--no-isolate",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ];
  const testing = (args: readonly string[]) => {
    const limits = [`--timeout=${options.timeoutMs}`, `--max-concurrency=${SIDE_BY_SIDE_MAX}`];
    const argv = [process.execPath, "test", "--only-failures", ...limits, ...args];
    return runStep({ title: "tests", argv, quiet: false }, env);
  };
  try {
    const checks = options.checks ? runChecks(env) : Promise.resolve(true);
    // Tests that run gsv itself take the binary when it is newer than the sources, and that is four times as fast.
    const isBuilt = options.args.length > 0 || (await runBuilds(env));
    const firstPassed = await testing([...together, ...options.args]);
    const checksPassed = await checks;
    const left = readdirSync(temporary);
    if (left.length > 0) say(`left behind in the temporary directory: ${left.sort().join(" ")}`);
    const isWhole = options.args.length === 0;
    const first = await counted(report, isWhole);
    const looked = !firstPassed && options.secondLook && isWhole ? await lookedAtAgain(report, first, testing) : null;
    const [testsPassed, count] = looked === null ? [firstPassed, first] : [true, looked];
    if (first.failed > 0) say(`GSV_SEED=${SEED} npm test draws the same again`);
    process.stdout.write(`${summaryOf(count)}\n`);
    return checksPassed && isBuilt && testsPassed && count.failed === 0 && count.passed > 0 ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function counted(report: string, everything: boolean): Promise<Count> {
  const file = Bun.file(report);
  const xml = (await file.exists()) ? await file.text() : "";
  const unloaded = everything ? testFiles().filter((path) => !xml.includes(`file="${path}"`)) : [];
  for (const path of unloaded) say(`${path}: did not run to its first test`);
  const count = countOf(xml, unloaded.length);
  if (count.passed + count.failed === 0) say("no tests ran");
  return count;
}

/** The counts where everything that failed passes alone; null where it does not, or is too much for that. */
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

// Beside the tests, and behind them: they take only what these leave of the cores, so no test with a deadline is pushed around.
async function runChecks(env: Record<string, string>): Promise<boolean> {
  const passed = await Promise.all([
    runStep(
      {
        title: "type-check",
        argv: [...BEHIND, process.execPath, join(BIN, "tsc"), "--noEmit", "--pretty", "false"],
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
  });
}
