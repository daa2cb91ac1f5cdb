// The cost of a long answer on the terminal, and duplicate or torn lines in it; compared with the same text written plainly.

import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { Session } from "../../support/session.ts";
import { BINARY, type Home, Kernel } from "../machine.ts";
import type { Row } from "../measure.ts";

interface Size {
  readonly tokens: number;
  readonly seconds: number;
  /** CPU time of the client in seconds. */
  readonly budget?: number;
}

const SIZES: readonly Size[] = [
  { tokens: 5000, seconds: 5, budget: 0.25 },
  { tokens: 50_000, seconds: 10 },
];
const WORD = "word ";
/** Short paragraphs of prose, so that lines scroll while it streams; each begins with its number. */
const WORDS_OF_A_PARAGRAPH = 60;
const PAINTS_IN_A_SECOND = 30;
const SCREEN = { columns: 100, rows: 30 };

export async function answerRows(home: Home): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(...(await rowsOf(home, size)));
  return rows;
}

function paragraphs(tokens: number): readonly string[] {
  const count = Math.ceil(tokens / WORDS_OF_A_PARAGRAPH);
  return Array.from({ length: count }, (_, at) => `P${tokens}.${at} ${WORD.repeat(WORDS_OF_A_PARAGRAPH - 2)}end.`);
}

async function rowsOf(home: Home, { tokens, seconds, budget }: Size): Promise<Row[]> {
  const parts = paragraphs(tokens);
  const text = `${parts.join("\n\n")}\n\nThat is all: ${tokens}.`;
  const perMs = Math.max(1, Math.round(tokens / (seconds * 1000)));
  const play = { text, chunk: WORD.length * perMs, chunkDelayMs: 1, repeat: 100 };
  const answer = await written(home, home.script(`words-${tokens}`, [play]), tokens);
  const plain = await writtenPlainly(home, text, seconds);
  const name = `terminal: ${tokens} tokens in ${seconds} s`;
  const what = "the same text, written plainly";
  const limit = budget === undefined ? {} : { budget };
  return [
    { name: `${name}, CPU of the client`, unit: "s", median: answer.cpu, floor: { value: plain.cpu, what }, ...limit },
    { name: `${name}, bytes written`, unit: "KB", median: answer.kb, floor: { value: plain.kb, what } },
    {
      name: `${name}, paragraphs not there exactly once`,
      unit: "lines",
      median: notOnce(answer.lines, parts),
      budget: 0,
    },
    { name: `${name}, reads without the prompt`, unit: "reads", median: await torn(answer.reads), budget: 0 },
  ];
}

async function written(home: Home, model: string, tokens: number) {
  await using session = new Session({ argv: [BINARY], env: home.env(model), ...SCREEN });
  await session.until(/^~ {2}init:1000/m);
  await session.until(/^›$/m);
  const client = new Kernel(session.process.pid);
  const [cpu, from] = [client.cpuMs(), session.reads.length];
  session.type(", go\r");
  const end = `That is all: ${tokens}.`;
  await session.until((shown) => shown.includes(end) && !shown.includes("esc stop"), 60_000);
  const reads = session.reads.slice(from);
  return {
    cpu: (client.cpuMs() - cpu) / 1000,
    kb: Buffer.byteLength(reads.join("")) / 1000,
    lines: session.everything(),
    reads: [session.reads.slice(0, from).join(""), ...reads],
  };
}

/** As many pieces as paints, without any other work. */
async function writtenPlainly(home: Home, text: string, seconds: number) {
  const path = join(home.directory, "plain.txt");
  await Bun.write(path, text);
  const pieces = seconds * PAINTS_IN_A_SECOND;
  const script = `
    const text = await Bun.file(${JSON.stringify(path)}).text();
    const size = Math.ceil(text.length / ${pieces});
    await Bun.stdin.stream().getReader().read();
    for (let at = 0; at < text.length; at += size) {
      process.stdout.write(text.slice(at, at + size));
      await Bun.sleep(1000 / ${PAINTS_IN_A_SECOND});
    }
    await Bun.sleep(60_000);`;
  await using session = new Session({
    argv: [process.execPath, "-e", script],
    env: { PATH: process.env.PATH ?? "" },
    ...SCREEN,
  });
  await Bun.sleep(500);
  const process_ = new Kernel(session.process.pid);
  const before = process_.cpuMs();
  session.type("\r");
  await session.until(/That is all: /, 60_000);
  return { cpu: (process_.cpuMs() - before) / 1000, kb: Buffer.byteLength(session.reads.join("")) / 1000 };
}

function notOnce(lines: readonly string[], parts: readonly string[]): number {
  const seen = new Map<string, number>();
  for (const line of lines) {
    const mark = /^ {2}(P\S+) /.exec(line)?.[1] ?? "";
    seen.set(mark, (seen.get(mark) ?? 0) + 1);
  }
  return parts.filter((part) => seen.get(part.split(" ", 1)[0] ?? "") !== 1).length;
}

/** Output up to this point, after which a terminal would show no input line. */
async function torn(reads: readonly string[]): Promise<number> {
  const emulator = new Terminal({ cols: SCREEN.columns, rows: SCREEN.rows, allowProposedApi: true });
  let count = 0;
  for (const read of reads) {
    await new Promise<void>((done) => emulator.write(read, done));
    const { active } = emulator.buffer;
    const rows = Array.from(
      { length: SCREEN.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
    if (!rows.some((row) => /^[›$]/.test(row))) count++;
  }
  return count;
}
