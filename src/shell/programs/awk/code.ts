// Compiled pieces of a program. Most are synchronous; one that reads or waits is async, and so is everything that contains it.

import type { Cell } from "./values.ts";

/** Local variables of the current function. */
export type Frame = readonly Cell[];

export interface Code<T> {
  /** The result must be awaited. */
  readonly waits: boolean;
  readonly run: (frame: Frame) => T | Promise<T>;
}

export function constant<T>(value: T): Code<T> {
  return { waits: false, run: () => value };
}

export function from<A, T>(a: Code<A>, make: (value: A, frame: Frame) => T): Code<T> {
  if (a.waits) return { waits: true, run: async (frame) => make(await a.run(frame), frame) };
  return { waits: false, run: (frame) => make(a.run(frame) as A, frame) };
}

export function both<A, B, T>(a: Code<A>, b: Code<B>, make: (left: A, right: B, frame: Frame) => T): Code<T> {
  if (a.waits || b.waits) {
    return {
      waits: true,
      run: async (frame) => {
        const left = await a.run(frame);
        return make(left, await b.run(frame), frame);
      },
    };
  }
  return { waits: false, run: (frame) => make(a.run(frame) as A, b.run(frame) as B, frame) };
}

export function all<A, T>(codes: readonly Code<A>[], make: (values: readonly A[], frame: Frame) => T): Code<T> {
  if (codes.some(({ waits }) => waits)) {
    return {
      waits: true,
      run: async (frame) => {
        const values: A[] = [];
        for (const code of codes) values.push(await code.run(frame));
        return make(values, frame);
      },
    };
  }
  return {
    waits: false,
    run: (frame) =>
      make(
        codes.map((code) => code.run(frame) as A),
        frame,
      ),
  };
}

export function waited<A, T>(code: Code<A>, work: (value: A, frame: Frame) => Promise<T>): Code<T> {
  return { waits: true, run: async (frame) => work(await code.run(frame), frame) };
}

/** Conditional. */
export function either<T>(condition: Code<boolean>, yes: Code<T>, no: Code<T>): Code<T> {
  if (condition.waits || yes.waits || no.waits)
    return { waits: true, run: async (frame) => ((await condition.run(frame)) ? yes : no).run(frame) };
  return { waits: false, run: (frame) => ((condition.run(frame) as boolean) ? yes : no).run(frame) };
}
