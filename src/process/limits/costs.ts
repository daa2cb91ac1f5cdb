// Upper limits of what an answer may cost, and the working time of a run.

import type { Amounts } from "../../abi/process/budget.ts";
import { type Charged, costMicros, microsOf, tokensOf } from "../../abi/process/money.ts";
import type { ModelRequest } from "../../abi/stream.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Clock } from "../../lib/clock.ts";

/** Real text has more, so estimates are rather too large. */
const BYTES_PER_TOKEN = 2.5;

/** Highest known cost of models without a price. */
export class Costs {
  private readonly dearest = new Map<string, number>();

  note(model: string, { usage }: Charged): void {
    const known = this.dearest.get(model) ?? 0;
    this.dearest.set(model, Math.max(known, microsOf(usage.costUsd)));
  }

  /** Without price and known cost, an answer may take all that is left, so it runs alone. */
  most({ name, rate: { price } }: Model, { system, messages, tools }: ModelRequest, outputTokens: number): Amounts {
    const bytes = Buffer.byteLength(JSON.stringify({ system, messages, tools }));
    const tokens = { input: Math.ceil(bytes / BYTES_PER_TOKEN), output: outputTokens, cacheRead: 0, cacheWrite: 0 };
    const dearest = price === null ? null : { ...price, input: Math.max(price.input, price.cacheWrite) };
    const micros = dearest === null ? this.dearest.get(name) : costMicros(dearest, tokens);
    return { micros: micros ?? Number.POSITIVE_INFINITY, tokens: tokensOf(tokens), ms: 0 };
  }
}

export class Stopwatch {
  private since: number;

  constructor(private readonly clock: Clock) {
    this.since = clock.mono();
  }

  lap(): number {
    const began = this.since;
    this.since = this.clock.mono();
    return Math.round(this.since - began);
  }

  /** Drops the time since the last lap: the run waited. */
  skip(): void {
    this.since = this.clock.mono();
  }
}
