// Transcripts: commands typed into a shell and gsv's output, as real processes on a fresh home. A line that begins with `#` and a space is
// a comment; `#>` is a line on stdout, `#!` one on stderr, `#=` the exit status (default 0); everything else is a command. A single `…`
// stands for any lines, one within a line for any text. Ids and times are normalized before comparing. Each run plays a few of them;
// `GSV_SOAK=1 bun test ./test/transcripts -t files` plays that one.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gsvCommand, gsvFromSource, isCompiled } from "../support/program.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { drawn, samples } from "../support/soak.ts";

const EACH_RUN = 4;

interface Step {
  readonly command: string;
  readonly stdout: string[];
  readonly stderr: string[];
  status: number;
}

function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of text.split("\n")) {
    const last = steps.at(-1);
    if (line === "" || line === "#" || line.startsWith("# ")) continue;
    if (!line.startsWith("#")) steps.push({ command: line, stdout: [], stderr: [], status: 0 });
    else if (last === undefined) throw new Error(`nothing was typed before: ${line}`);
    else if (line.startsWith("#>")) last.stdout.push(line.slice(3));
    else if (line.startsWith("#!")) last.stderr.push(line.slice(3));
    else if (line.startsWith("#=")) last.status = Number(line.slice(2));
    else throw new Error(`neither a command nor what it says: ${line}`);
  }
  return steps;
}

/** One shell for all commands, so that variables persist; each command's output goes into its own files. */
function scriptOf(steps: readonly Step[]): string {
  const lines = steps.map(
    ({ command }, at) => `{ ${command}\n} >out.${at} 2>err.${at} </dev/null; echo $? >status.${at}`,
  );
  return [`gsv() { $GSV "$@"; }`, ...lines, "gsv kernel stop"].join("\n");
}

async function play(directory: string, argv: readonly string[], steps: readonly Step[]): Promise<Step[]> {
  const env = {
    GSV: argv.join(" "),
    GSV_HOME: join(directory, "home"),
    HOME: directory,
    USER: "sam",
    PATH: process.env.PATH ?? "",
    GSV_KERNEL_IDLE_MS: "3000",
  };
  const stdio: ["ignore", "ignore", "ignore"] = ["ignore", "ignore", "ignore"];
  await Bun.spawn(["sh", "-c", scriptOf(steps)], { cwd: directory, env, stdio, timeout: 60_000 }).exited;
  const read = (name: string) => (existsSync(join(directory, name)) ? readFileSync(join(directory, name), "utf8") : "");
  const same = sameIds(directory);
  return steps.map(({ command }, at) => ({
    command,
    stdout: linesOf(same(read(`out.${at}`))),
    stderr: linesOf(same(read(`err.${at}`))),
    status: Number(read(`status.${at}`) || -1),
  }));
}

function linesOf(text: string): string[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .filter((line, at, all) => line !== "" || at < all.length - 1);
}

/** The first pid becomes task:aaaaaa, the second task:bbbbbb …, and ids and times likewise; widths stay, so tables stay aligned. */
function sameIds(directory: string): (text: string) => string {
  const known = new Map<string, string>();
  const counts = { pid: 0, id: 0 };
  const standIn = (found: string, make: () => string) => {
    const given = known.get(found) ?? make();
    known.set(found, given);
    return given;
  };
  const pid = (found: string) => standIn(found, () => `task:${"abcdefghij".charAt(counts.pid++).repeat(6)}`);
  const id = (found: string) =>
    standIn(found, () => `00000000-0000-7000-8000-${String(++counts.id).padStart(12, "0")}`);
  return (text) =>
    text
      .replaceAll(directory, "/tmp/x")
      // The manual's example is not a real pid.
      .replace(/\btask:(?!abc123)[a-z0-9]{6}\b/g, pid)
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, id)
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "2026-01-02T03:04:05.678Z")
      .replace(/\b(approve|deny|approved|denied|approval) [a-z0-9]{4}\b/g, "$1 a1b2");
}

function fits(wanted: readonly string[], found: readonly string[]): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return found.length === 0;
  if (first === "…") return found.some((_, at) => fits(rest, found.slice(at))) || fits(rest, []);
  const pattern = new RegExp(`^${first.split(/ ?… ?/).map(RegExp.escape).join(".*")}$`);
  return found[0] !== undefined && pattern.test(found[0]) && fits(rest, found.slice(1));
}

function shown({ command, stdout, stderr, status }: Step): string {
  const lines = [command, ...stdout.map((line) => `#> ${line}`), ...stderr.map((line) => `#! ${line}`)];
  return [...lines, ...(status === 0 ? [] : [`#= ${status}`])].join("\n");
}

async function check(argv: readonly string[], file: string): Promise<void> {
  const wanted = stepsOf(readFileSync(join(import.meta.dir, file), "utf8"));
  const directory = scratchDirectory("transcript");
  const found = await play(directory, argv, wanted).finally(() => rmSync(directory, { recursive: true, force: true }));
  for (const [at, step] of wanted.entries()) {
    const real = found[at];
    if (real === undefined) throw new Error(`not played: ${step.command}`);
    const same = fits(step.stdout, real.stdout) && fits(step.stderr, real.stderr) && step.status === real.status;
    if (!same) expect(shown(real)).toBe(shown(step));
  }
}

const ALL = readdirSync(import.meta.dir).filter((name) => name.endsWith(".sh"));

for (const file of drawn(EACH_RUN, ALL)) {
  test.concurrent(`${file} prints the expected output`, () => check(gsvCommand(), file), 60_000);
  // A full run also plays it from source.
  if (isCompiled() && samples(0, 1) === 1)
    test.concurrent(`${file} prints the expected output, from source`, () => check(gsvFromSource(), file), 60_000);
}
