// Streams the output of a loop to the programs after it in the pipe. They start before the loop, and the loop ends when they end. Rewritten
// scripts call the programs in this file.

import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Called } from "../interpreter/builtins.ts";
import { type Answer, answer, type Context } from "../interpreter/called.ts";
import { NEXT, OWN } from "../programs/internal-words.ts";
import type { Pipe } from "../programs/pipe.ts";
import type { Chains, Stage } from "./chains.ts";

interface Flow {
  readonly pipe: Pipe;
  readonly ended: Promise<Answer>;
}

interface Read extends Awaited<ReturnType<Chains["read"]>> {
  /** Not yet read by the loop. */
  left: Buffer;
}

export class Flows {
  /** Open loops by position in the script, innermost last. */
  private readonly open = new Map<string, Flow[]>();
  /** Programs that open loops read, in the same way. */
  private readonly reads = new Map<string, Read[]>();

  constructor(
    private readonly chains: Chains,
    private readonly stage: (called: Called) => Promise<Stage | null>,
  ) {}

  programs(): readonly CustomCommand[] {
    return [
      defineCommand(OWN.open, ([chain = "", ...words], context) => this.begin(chain, words, context)),
      defineCommand(OWN.close, ([chain = ""]) => this.end(chain)),
      defineCommand(OWN.gone, async ([chain = ""]) => answer("", "", this.pipe(chain)?.broken === false ? 1 : 0)),
      defineCommand(OWN.openLive, ([chain = "", ...words], context) => this.beginRead(chain, words, context)),
      defineCommand(OWN.nextLine, ([chain = ""], context) => this.nextLine(chain, context)),
      defineCommand(OWN.endLive, ([chain = "", status = "0"]) => this.endRead(chain, Number(status))),
      defineCommand(OWN.ended, (args, context) => this.statuses(args, context)),
    ];
  }

  /** Drops output without a reader; waits while the pipe is full. */
  async write(chain: string, bytes: Uint8Array): Promise<void> {
    const pipe = this.pipe(chain);
    pipe?.write(bytes);
    await pipe?.room();
  }

  private pipe(chain: string): Pipe | undefined {
    return this.open.get(chain)?.at(-1)?.pipe;
  }

  private async stages(words: readonly string[], context: Context): Promise<readonly Stage[]> {
    const stages: Stage[] = [];
    for (const argv of programsIn(words)) {
      const [name = "", ...args] = argv;
      const stage = await this.stage({ name, args, context });
      if (stage !== null) stages.push(stage);
    }
    return stages;
  }

  private async beginRead(chain: string, words: readonly string[], context: Context): Promise<Answer> {
    const read = await this.chains.read(chain, await this.stages(words, context), context);
    this.reads.set(chain, [...(this.reads.get(chain) ?? []), { ...read, left: Buffer.alloc(0) }]);
    return answer();
  }

  /** Status 1 at the end of input, with what is left. */
  private async nextLine(chain: string, context: Context): Promise<Answer> {
    const read = this.reads.get(chain)?.at(-1);
    let at = -1;
    for (let piece: Uint8Array | null = Buffer.alloc(0); read !== undefined && piece !== null; ) {
      read.left = Buffer.concat([read.left, piece]);
      at = read.left.indexOf(10);
      piece = at === -1 ? await read.source.next() : null;
    }
    const left = read?.left ?? Buffer.alloc(0);
    if (read !== undefined) read.left = at === -1 ? Buffer.alloc(0) : left.subarray(at + 1);
    await context.assignShellVariable?.(OWN.line, (at === -1 ? left : left.subarray(0, at)).toString());
    return answer("", "", at === -1 ? 1 : 0);
  }

  private async endRead(chain: string, status: number): Promise<Answer> {
    const read = this.reads.get(chain)?.pop();
    read?.leave();
    const { stderr } = (await read?.ended) ?? answer();
    return answer("", stderr, status);
  }

  private async begin(chain: string, words: readonly string[], context: Context): Promise<Answer> {
    const stages = await this.stages(words, context);
    const flow = this.chains.beside(chain, stages, context);
    this.open.set(chain, [...(this.open.get(chain) ?? []), flow]);
    return answer();
  }

  private async end(chain: string): Promise<Answer> {
    const flow = this.open.get(chain)?.pop();
    flow?.pipe.end();
    return (await flow?.ended) ?? answer();
  }

  /** Exit statuses of a pipe's commands, from the concurrent programs and from the interpreter. */
  private async statuses(args: readonly string[], context: Context): Promise<Answer> {
    const places = args.filter((word) => !/^\d+$/.test(word));
    const known = args.filter((word) => /^\d+$/.test(word));
    let [count, slot] = [0, 0];
    for (const place of places) {
      const own = place.startsWith("+") ? "0" : known[slot++];
      const [chain = "", at] = place.replace("+", "").split(":");
      const status = at === undefined ? own : String(this.chains.statusOf(chain, Number(at)));
      if (place !== ".") await context.assignShellVariable?.(OWN.ended, status ?? "0", String(count++));
    }
    return answer();
  }
}

function programsIn(words: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  for (const word of words) {
    if (word === NEXT) found.push([]);
    else found.at(-1)?.push(word);
  }
  return found;
}
