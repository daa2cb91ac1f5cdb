// The contract of every Sys with its callers: the in-process kernel, the socket client, a process's own.
// `make` builds one with calls to test it.

import { describe, expect, test } from "bun:test";
import type { SysError } from "../../src/abi/errno.ts";
import type { Signal, SignalFilter } from "../../src/abi/signal.ts";
import type { CallOptions, Sys } from "../../src/abi/sys.ts";
import { rejection } from "../support/refusal.ts";

export interface Call {
  readonly name: string;
  readonly args: object;
}

export interface SysUnderTest {
  readonly sys: Sys;
  /** A read and its expected answer, as far as given. */
  readonly read: Call & { readonly answer: object };
  /** A read that fails as expected. */
  readonly failing: Call & { readonly code: string };
  /** A wait without an end of its own. */
  readonly waiting: Call;
  /** A keyed call with an answer that shows whether it was carried out again. */
  readonly keyed: Call;
  /** A keyed call that emits one signal that the filter lets through and the other filter does not. */
  readonly speaking: Call & { readonly hears: SignalFilter; readonly deaf: SignalFilter };
  /** Lets pending signals arrive. */
  readonly quiet: () => Promise<void>;
  readonly cleanup: () => Promise<void>;
}

export function sysContract(name: string, make: () => Promise<SysUnderTest>): void {
  async function under(body: (subject: SysUnderTest) => Promise<void>): Promise<void> {
    const subject = await make();
    try {
      await body(subject);
    } finally {
      await subject.sys.close();
      await subject.cleanup();
    }
  }
  const ask = ({ sys }: SysUnderTest, call: Call, options?: CallOptions) => sys.call(call.name, call.args, options);

  describe(`${name} is a Sys`, () => {
    test("a call answers with its result", () =>
      under(async (subject) => {
        expect(await ask(subject, subject.read)).toMatchObject(subject.read.answer);
      }));

    test("an expected failure arrives as SysError with code, one line and hints", () =>
      under(async (subject) => {
        const error = await rejection(ask(subject, subject.failing));
        expect(error.code).toBe(subject.failing.code as SysError["code"]);
        expect(error.message).toMatch(/^[^\n]+$/);
        expect(Array.isArray(error.hints)).toBe(true);
      }));

    test("a syscall that does not exist is ENOSYS", () =>
      under(async ({ sys }) => {
        expect((await rejection(sys.call("no.such", {}))).code).toBe("ENOSYS");
      }));

    test("calls made together each get their own answer, and a wait does not delay the others", () =>
      under(async (subject) => {
        const stop = new AbortController();
        const waiting = rejection(ask(subject, subject.waiting, { signal: stop.signal }));
        const [read, failed, again] = await Promise.all([
          ask(subject, subject.read),
          rejection(ask(subject, subject.failing)),
          ask(subject, subject.read),
        ]);
        expect(read).toMatchObject(subject.read.answer);
        expect(again).toMatchObject(subject.read.answer);
        expect(failed.code).toBe(subject.failing.code as SysError["code"]);
        stop.abort();
        await waiting;
      }));

    test("an aborted wait is ECANCELED at once, and so is a call with a signal aborted before", () =>
      under(async (subject) => {
        const stop = new AbortController();
        const waiting = rejection(ask(subject, subject.waiting, { signal: stop.signal }));
        await subject.quiet();
        stop.abort();
        expect((await waiting).code).toBe("ECANCELED");
        expect((await rejection(ask(subject, subject.read, { signal: stop.signal }))).code).toBe("ECANCELED");
        expect(await ask(subject, subject.read)).toMatchObject(subject.read.answer);
      }));

    test("the same request id is carried out once, with the same answer", () =>
      under(async (subject) => {
        const first = await ask(subject, subject.keyed, { requestId: "req-1" });
        expect(await ask(subject, subject.keyed, { requestId: "req-1" })).toEqual(first as object);
        expect(await ask(subject, subject.keyed, { requestId: "req-2" })).not.toEqual(first as object);
        expect(await ask(subject, subject.keyed)).not.toEqual(await ask(subject, subject.keyed));
      }));

    test("a listener gets the signals of a later call, if its filter lets them through", () =>
      under(async (subject) => {
        const { sys, speaking } = subject;
        const heard: Signal[] = [];
        const missed: Signal[] = [];
        sys.on(speaking.hears, (signal) => heard.push(signal));
        sys.on(speaking.deaf, (signal) => missed.push(signal));
        await ask(subject, speaking);
        await subject.quiet();
        expect(heard.length).toBeGreaterThan(0);
        expect(missed.map((signal) => signal.name)).toEqual([]);
      }));

    test("a listener that stopped gets nothing more, and a second stop is harmless", () =>
      under(async (subject) => {
        const { sys, speaking } = subject;
        const heard: Signal[] = [];
        const stop = sys.on(speaking.hears, (signal) => heard.push(signal));
        stop();
        stop();
        await ask(subject, speaking);
        await subject.quiet();
        expect(heard).toEqual([]);
      }));

    test("after close, calls fail, waits in flight end and listeners are silent", () =>
      under(async (subject) => {
        const { sys, speaking } = subject;
        const heard: Signal[] = [];
        sys.on(speaking.hears, (signal) => heard.push(signal));
        await ask(subject, subject.read);
        const waiting = rejection(ask(subject, subject.waiting));
        await subject.quiet();
        await sys.close();
        expect((await waiting).code).toBe("ECANCELED");
        expect((await rejection(ask(subject, subject.read))).code).toBe("ECANCELED");
        await sys.close();
        expect(heard).toEqual([]);
      }));
  });
}
