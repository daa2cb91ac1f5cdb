// `timeout` in a pipe: the command prints and reads while it runs.

import { ENDED_BY } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import { either } from "../../lib/wait.ts";
import { spanMs } from "../programs/span.ts";
import { fork } from "./fork.ts";
import type { Interpreter, Result } from "./interpreter.ts";
import { streamsOf, within } from "./streams.ts";

/** null if the interpreter's own `timeout` must handle the options. */
export function runLimited(
  shell: Interpreter,
  args: readonly string[],
  clock: Pick<Clock, "sleep">,
): Promise<Result> | null {
  const isKept = args[0] === "--preserve-status";
  const [span = "", name, ...words] = isKept ? args.slice(1) : args;
  const ms = spanMs(span);
  if (ms === null || name === undefined) return null;
  return run(shell, [name, ...words], { ms, isKept, clock });
}

interface Limit {
  readonly ms: number;
  readonly isKept: boolean;
  readonly clock: Pick<Clock, "sleep">;
}

async function run(
  shell: Interpreter,
  [name = "", ...words]: readonly string[],
  { ms, isKept, clock }: Limit,
): Promise<Result> {
  const { signal } = shell.ctx.state;
  const [late, over] = [new AbortController(), new AbortController()];
  if (ms > 0)
    void clock.sleep(ms, over.signal).then(() => {
      if (!over.signal.aborted) late.abort();
    });
  const ended = isKept ? ENDED_BY.TERM : ENDED_BY.time;
  const copy = fork(shell);
  copy.ctx.state.signal = either(late.signal, signal);
  try {
    const result = await within(copy, streamsOf(shell), () => copy.runCommand(name, words, [], "", true));
    return late.signal.aborted ? { ...result, exitCode: ended } : result;
  } catch (error) {
    if (!late.signal.aborted || signal?.aborted === true) throw error;
    return { stdout: "", stderr: "", exitCode: ended };
  } finally {
    over.abort();
  }
}
