// Calls of gsv's programs. The interpreter passes a program only words, so the first word of a call in a pipe names its streams.

import { ENDED_BY } from "../../abi/errno.ts";
import type { Answer, Context } from "../interpreter/called.ts";
import { type Pipe, type Source, sourceOf } from "../programs/pipe.ts";
import { Ended } from "../programs/program.ts";
import { enoughFor } from "./enough.ts";
import type { Streams } from "./streams.ts";

/** Input and output of a program. */
export interface Ends {
  readonly stdin: Source;
  /** null if the output is collected. */
  readonly pipe: Pipe | null;
  out(bytes: Uint8Array): void;
  room(): Promise<void>;
  err(text: string): void;
  readonly context: Context;
}

export interface Stage {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  /** Returns the exit status; throws only errors of the environment. */
  readonly run: (ends: Ends) => Promise<number>;
}

export class Calls {
  private readonly streams = new Map<string, Streams>();
  private last = 0;

  constructor(
    private readonly programs: ReadonlySet<string>,
    private readonly outputBytesMax: number,
  ) {}

  isProgram(name: string): boolean {
    return this.programs.has(name);
  }

  open(streams: Streams): string {
    const call = String(++this.last);
    this.streams.set(call, streams);
    return call;
  }

  close(call: string): void {
    this.streams.delete(call);
  }

  /** `call` is null outside of a pipe. */
  async run(call: string | null, stage: Stage, context: Context): Promise<Answer> {
    const { out = null, err = null, input = null } = (call === null ? undefined : this.streams.get(call)) ?? {};
    const stdout: Uint8Array[] = [];
    const { signal } = context;
    let [size, stderr] = [0, ""];
    if (stage.name === "head" && input !== null) input.pipe.until(await enoughFor(stage.args));
    const ends: Ends = {
      ...{ stdin: input ?? sourceOf(stage.stdin), pipe: out?.pipe ?? null, context },
      out: (bytes) => {
        if (out !== null) return out.write(bytes);
        size += bytes.byteLength;
        stdout.push(bytes);
        // The interpreter ends the script at this size, so produce no more.
        if (size > this.outputBytesMax) throw new Ended(ENDED_BY.output);
      },
      room: async () => {
        await out?.room();
        if (signal?.aborted) throw new Ended(ENDED_BY.TERM);
      },
      err: (text) => {
        if (err === null) stderr += text;
        else err.write(Buffer.from(text));
      },
    };
    const exitCode = await statusOf(stage.run(ends));
    const bytes = Buffer.concat(stdout.splice(0)).toString("latin1");
    return { stdout: bytes, stdoutKind: "bytes", stdoutEncoding: "binary", stderr, exitCode };
  }
}

async function statusOf(run: Promise<number>): Promise<number> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof Ended) return error.status;
    throw error;
  }
}
