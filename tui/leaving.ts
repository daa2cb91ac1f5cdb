// How the terminal shell comes to its end: somebody leaves, asks it to, takes the terminal away, or something breaks. Whichever it is, whoever
// waits for the end hears of it and puts the terminal right; nothing ends the program before.

import type { Io } from "../commands/command.ts";
import { ENDED_BY } from "../src/abi/ended-by.ts";

const BREAKS = ["uncaughtException", "unhandledRejection"] as const;

export class Leaving {
  private readonly end = Promise.withResolvers<number>();

  /** The exit status; rejects with what broke. */
  get over(): Promise<number> {
    return this.end.promise;
  }

  leave(status: number): void {
    this.end.resolve(status);
  }

  /** The terminal has gone. */
  hungUp(): void {
    this.leave(ENDED_BY.HUP);
  }

  /** Hears of all of it until the returned function is called; ctrl-c that comes as a signal is no end. */
  hear(io: Io, interrupted: () => void): () => void {
    const broke = (error: unknown) => this.end.reject(error);
    for (const event of BREAKS) process.on(event, broke);
    const letGo = io.onSignal((name) => (name === "INT" ? interrupted() : this.leave(ENDED_BY[name])));
    return () => {
      letGo();
      for (const event of BREAKS) process.off(event, broke);
    };
  }
}
