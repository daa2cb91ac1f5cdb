// Runs neighbouring programs of a pipe concurrently: each but the last only registers its arguments, and
// the last one starts them all. A program whose reader is gone ends with a broken pipe.

import { LIMITS } from "../../abi/config/limits.ts";
import { ENDED_BY } from "../../abi/errno.ts";
import type { Answer, Context } from "../interpreter/called.ts";
import type { Part } from "../programs/internal-words.ts";
import { Pipe, type Source, sourceOf } from "../programs/pipe.ts";
import { Ended } from "../programs/program.ts";

/** Maximum output held for a program that prints without waiting. */
const HELD_MAX = LIMITS.fileBytesMax;

/** Input and output of a program. */
export interface Ends {
  readonly stdin: Source;
  /** null if the output is collected. */
  readonly pipe: Pipe | null;
  out(bytes: Uint8Array): void;
  room(): Promise<void>;
  err(text: string): void;
  /** The interpreter's context while the pipe runs. */
  readonly context: Context;
}

export interface Stage {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  /** Returns the exit status; throws only errors of the environment. */
  readonly run: (ends: Ends) => Promise<number>;
}

interface PlacedStage extends Stage {
  readonly stderr: Part["stderr"];
}

export interface ChainsOptions {
  readonly nowMs: () => number;
  readonly outputBytesMax: number;
}

export class Chains {
  /** Incomplete pipes by position; nested because a word may run the same pipe again. */
  private readonly begun = new Map<string, PlacedStage[][]>();
  /** The last exit statuses of each pipe. */
  private readonly ended = new Map<string, readonly number[]>();

  constructor(private readonly options: ChainsOptions) {}

  async part(part: Part | null, stage: Stage, context: Context): Promise<Answer> {
    const placed = { ...stage, stderr: part?.stderr ?? "sent" };
    if (part === null) return this.run([placed], context, null);
    const rows = this.begun.get(part.chain) ?? [];
    this.begun.set(part.chain, rows);
    if (part.at === 0) rows.push([]);
    const row = rows.at(-1);
    // An earlier program was not called, for example because its redirection failed.
    if (row?.length !== part.at) return this.run([placed], context, part);
    row.push(placed);
    if (part.at < part.count - 1) return { stdout: "", stderr: "", exitCode: 0 };
    rows.pop();
    return this.run(row, context, part);
  }

  /** The status of one program of a finished pipe. */
  statusOf(chain: string, at: number): number {
    return this.ended.get(chain)?.[at] ?? 0;
  }

  /** Starts programs that read from a loop; returns where the loop writes. */
  beside(chain: string, stages: readonly Stage[], context: Context): { pipe: Pipe; ended: Promise<Answer> } {
    const placed = stages.map((each) => ({ ...each, stderr: "sent" as const }));
    const pipe = new Pipe(this.options.nowMs);
    const part = { chain, at: 0, count: stages.length, stderr: "sent" as const };
    return { pipe, ended: this.run(placed, context, part, pipe) };
  }

  /** Starts programs that a loop reads; they end when `leave` is called. */
  async read(chain: string, stages: readonly Stage[], context: Context) {
    const started = Promise.withResolvers<Source>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const reader: Stage = {
      ...{ name: "read", args: [], stdin: new Uint8Array() },
      async run({ stdin }) {
        started.resolve(stdin);
        await left;
        return 0;
      },
    };
    const row = [...stages, reader].map((each) => ({ ...each, stderr: "sent" as const }));
    const ended = this.run(row, context, { chain, at: 0, count: row.length, stderr: "sent" });
    return { source: await started.promise, leave, ended };
  }

  private async run(row: readonly PlacedStage[], context: Context, part: Part | null, from?: Pipe): Promise<Answer> {
    const stdout: Uint8Array[] = [];
    let [size, stderr] = [0, ""];
    const { nowMs, outputBytesMax } = this.options;
    const pipes = await Promise.all(
      row.slice(1).map(async ({ name, args }) => new Pipe(nowMs, name === "head" ? await enough(args) : undefined)),
    );
    const gathered = (bytes: Uint8Array) => {
      size += bytes.byteLength;
      stdout.push(bytes);
      // The interpreter ends the script at this size, so produce no more.
      if (size > outputBytesMax) throw new Ended(ENDED_BY.output);
    };
    const printed = (pipe: Pipe) => (bytes: Uint8Array) => {
      pipe.write(bytes);
      if (pipe.broken) throw new Ended(ENDED_BY.PIPE);
      if (pipe.held > HELD_MAX) throw new Ended(ENDED_BY.output);
    };
    const one = async (stage: PlacedStage, at: number): Promise<number> => {
      const [before, after = null] = [at === 0 ? from : pipes[at - 1], pipes[at]];
      const out = after === null ? gathered : printed(after);
      const err = (text: string) => {
        if (stage.stderr === "printed") out(Buffer.from(text));
        else if (stage.stderr === "sent") stderr += text;
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
    const bytes = Buffer.concat(stdout.splice(0)).toString("latin1");
    const exitCode = statuses.at(-1) ?? 0;
    return { stdout: bytes, stdoutKind: "bytes", stdoutEncoding: "binary", stderr, exitCode };
  }
}

/** Whether the `head` behind a program has enough; it then stops a program that never waits. */
async function enough(words: readonly string[]): Promise<(piece: Uint8Array) => boolean> {
  const share = (await import("../programs/text/head.ts")).shareOf(words);
  if (share === null) return () => false;
  let [bytes, lines] = [0, 0];
  return (piece) => {
    bytes += piece.byteLength;
    if (share.unit === "bytes") return bytes >= share.count;
    const next = (from: number) => piece.indexOf(share.end, from);
    for (let at = next(0); at !== -1 && lines < share.count; at = next(at + 1)) lines++;
    return lines >= share.count;
  };
}
