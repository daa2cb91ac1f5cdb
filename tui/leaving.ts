// Ends the terminal shell: on request, by a signal, when the terminal is gone, or after an error. The caller of `over` restores the
// terminal first.

import type { Io } from "../commands/command.ts";
import { ENDED_BY } from "../src/abi/errno.ts";

const BREAKS = ["uncaughtException", "unhandledRejection"] as const;

export class Leaving {
  private readonly end = Promise.withResolvers<number>();

  /** The exit status; rejects with an internal error. */
  get over(): Promise<number> {
    return this.end.promise;
  }

  leave(status: number): void {
    this.end.resolve(status);
  }

  hungUp(): void {
    this.leave(ENDED_BY.HUP);
  }

  /** Listens until the returned function is called. ctrl-c as a signal does not end the shell. */
  listen(io: Io, interrupted: () => void): () => void {
    const broke = (error: unknown) => this.end.reject(error);
    for (const event of BREAKS) process.on(event, broke);
    const stop = io.onSignal((name) => (name === "INT" ? interrupted() : this.leave(ENDED_BY[name])));
    return () => {
      stop();
      for (const event of BREAKS) process.off(event, broke);
    };
  }
}
