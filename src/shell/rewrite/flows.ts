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

export class Flows {
  /** Open loops by position in the script, innermost last. */
  private readonly open = new Map<string, Flow[]>();

  constructor(
    private readonly chains: Chains,
    private readonly stage: (called: Called) => Promise<Stage | null>,
  ) {}

  programs(): readonly CustomCommand[] {
    return [
      defineCommand(OWN.open, ([chain = "", ...words], context) => this.begin(chain, words, context)),
      defineCommand(OWN.close, ([chain = ""]) => this.end(chain)),
      defineCommand(OWN.gone, async ([chain = ""]) => answer("", "", this.pipe(chain)?.broken === false ? 1 : 0)),
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

  private async begin(chain: string, words: readonly string[], context: Context): Promise<Answer> {
    const stages: Stage[] = [];
    for (const argv of programsIn(words)) {
      const [name = "", ...args] = argv;
      const stage = await this.stage({ name, args, context });
      if (stage !== null) stages.push(stage);
    }
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
