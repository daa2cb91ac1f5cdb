// Programs that stand side by side in a pipe, run at the same time: each but the last says only that it is there, with its arguments, and
// the last one runs them all. One whose reader has gone ends as a broken pipe ends it.

import { LIMITS } from "../../abi/config/limits.ts";
import { ENDED_BY } from "../../abi/errno.ts";
import type { Answer, Context } from "../interpreter/called.ts";
import type { Part } from "../programs/part.ts";
import { Pipe, type Source, sourceOf } from "../programs/pipe.ts";
import { Ended } from "../programs/program.ts";

/** Of a program that prints without a break. */
const HELD_MAX = LIMITS.fileBytesMax;

/** Where a program reads from and prints to. */
export interface Ends {
  readonly stdin: Source;
  /** Null where what it prints is gathered. */
  readonly pipe: Pipe | null;
  out(bytes: Uint8Array): void;
  room(): Promise<void>;
  err(text: string): void;
  /** The interpreter, for as long as the row runs. */
  readonly context: Context;
}

export interface Stage {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  /** Its status. Throws only what is no fault of its own. */
  readonly run: (ends: Ends) => Promise<number>;
}

interface Standing extends Stage {
  readonly stderr: Part["stderr"];
}

export interface ChainsOptions {
  readonly nowMs: () => number;
  readonly outputBytesMax: number;
}

export class Chains {
  /** Rows that are not complete, by where they stand in a script; a word of one may run another of the same place. */
  private readonly begun = new Map<string, Standing[][]>();
  /** What the programs of a row ended with the last time. */
  private readonly ended = new Map<string, readonly number[]>();

  constructor(private readonly options: ChainsOptions) {}

  async part(part: Part | null, stage: Stage, context: Context): Promise<Answer> {
    const standing = { ...stage, stderr: part?.stderr ?? "told" };
    if (part === null) return this.run([standing], context, null);
    const rows = this.begun.get(part.chain) ?? [];
    this.begun.set(part.chain, rows);
    if (part.at === 0) rows.push([]);
    const row = rows.at(-1);
    // One before it was not called at all, as where its redirection failed.
    if (row?.length !== part.at) return this.run([standing], context, part);
    row.push(standing);
    if (part.at < part.count - 1) return { stdout: "", stderr: "", exitCode: 0 };
    rows.pop();
    return this.run(row, context, part);
  }

  /** Of a row that has run: of the program at a place. */
  statusOf(chain: string, at: number): number {
    return this.ended.get(chain)?.[at] ?? 0;
  }

  /** Programs that read what somebody else writes, who is told where. */
  beside(chain: string, stages: readonly Stage[], context: Context): { pipe: Pipe; ended: Promise<Answer> } {
    const standing = stages.map((each) => ({ ...each, stderr: "told" as const }));
    const pipe = new Pipe(this.options.nowMs);
    const part = { chain, at: 0, count: stages.length, stderr: "told" as const };
    return { pipe, ended: this.run(standing, context, part, pipe) };
  }

  private async run(row: readonly Standing[], context: Context, part: Part | null, from?: Pipe): Promise<Answer> {
    const stdout: Uint8Array[] = [];
    let [size, stderr] = [0, ""];
    const { nowMs, outputBytesMax } = this.options;
    const pipes = await Promise.all(
      row.slice(1).map(async ({ name, args }) => new Pipe(nowMs, name === "head" ? await enough(args) : undefined)),
    );
    const gathered = (bytes: Uint8Array) => {
      size += bytes.byteLength;
      stdout.push(bytes);
      // The interpreter ends the script over so much; what is more is not made.
      if (size > outputBytesMax) throw new Ended(ENDED_BY.output);
    };
    const printed = (pipe: Pipe) => (bytes: Uint8Array) => {
      pipe.write(bytes);
      if (pipe.broken) throw new Ended(ENDED_BY.PIPE);
      if (pipe.held > HELD_MAX) throw new Ended(ENDED_BY.output);
    };
    const one = async (stage: Standing, at: number): Promise<number> => {
      const [before, after = null] = [at === 0 ? from : pipes[at - 1], pipes[at]];
      const out = after === null ? gathered : printed(after);
      const err = (text: string) => {
        if (stage.stderr === "printed") out(Buffer.from(text));
        else if (stage.stderr === "told") stderr += text;
      };
      const room = async () => {
        if (after === null) return;
        await after.room();
        if (after.broken) throw new Ended(ENDED_BY.PIPE);
      };
      try {
        return await stage.run({ stdin: before ?? sourceOf(stage.stdin), pipe: after, out, room, err, context });
      } catch (error) {
        if (error instanceof Ended) return error.status;
        throw error;
      } finally {
        before?.leave();
        after?.end();
      }
    };
    const statuses = await Promise.all(row.map(one));
    if (part !== null) this.ended.set(part.chain, statuses);
    const bytes = Buffer.concat(stdout).toString("latin1");
    const exitCode = statuses.at(-1) ?? 0;
    return { stdout: bytes, stdoutKind: "bytes", stdoutEncoding: "binary", stderr, exitCode };
  }
}

/** Whether the `head` behind a program has all it wants: a program that never waits is stopped in its course. */
async function enough(words: readonly string[]): Promise<(piece: Uint8Array) => boolean> {
  const share = (await import("../programs/text/head.ts")).shareOf(words);
  if (share === null) return () => false;
  let [bytes, lines] = [0, 0];
  return (piece) => {
    bytes += piece.byteLength;
    if (share.unit === "bytes") return bytes >= share.count;
    for (let at = piece.indexOf(10); at !== -1 && lines < share.count; at = piece.indexOf(10, at + 1)) lines++;
    return lines >= share.count;
  };
}
