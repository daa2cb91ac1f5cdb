// One tool call while its server may ask questions. Until a question is answered the call waits in memory, whatever becomes of the run that
// began it: the answer finds it by its key.

import { SysError } from "../../../abi/errno.ts";
import type { CallEnd } from "../results.ts";
import type { ServerRequest } from "./questions.ts";

export interface Root {
  readonly uri: string;
  readonly name?: string;
}

interface Asked {
  readonly request: ServerRequest;
  readonly resolve: (answer: object) => void;
  readonly reject: (error: Error) => void;
}

const ASKED_MAX = 20;

export class Talk {
  /** Ends the call. */
  readonly leave = new AbortController();
  private readonly open: Asked[] = [];
  private readonly end = Promise.withResolvers<CallEnd>();
  private arrived = Promise.withResolvers<void>();
  private asked = 0;

  constructor(
    readonly roots: () => Promise<readonly Root[]>,
    readonly progress: (text: string) => void,
  ) {}

  /** Called by the connection. */
  ask(request: ServerRequest): Promise<object> {
    if (++this.asked > ASKED_MAX)
      return Promise.reject(new SysError("ELIMIT", `the server asked more than ${ASKED_MAX} times`));
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    this.open.push({ request, resolve, reject });
    this.arrived.resolve();
    return promise;
  }

  /** For a person. */
  readonly isWaiting = (): boolean => this.open.length > 0;

  begin(call: Promise<CallEnd>): void {
    call.then(this.end.resolve, this.end.reject);
    // Read later, or never if the process ends first.
    this.end.promise.catch(() => {});
  }

  /** How the call ends, or what its server asks first. */
  async next(signal: AbortSignal): Promise<CallEnd> {
    const stop = () => this.leave.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([this.end.promise, this.question()]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  private async question(): Promise<CallEnd> {
    await this.arrived.promise;
    const [first] = this.open;
    return { kind: "asks", how: "live", requests: { live: first!.request }, state: null };
  }

  answer(answer: object): void {
    this.taken()?.resolve(answer);
  }

  refuse(why: string): void {
    this.taken()?.reject(new SysError("EPERM", why));
  }

  private taken(): Asked | undefined {
    const first = this.open.shift();
    if (this.open.length === 0) this.arrived = Promise.withResolvers<void>();
    return first;
  }
}
