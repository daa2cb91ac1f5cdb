// Translates signals into events for hooks, with their JSON.

import type { HookEvent } from "../abi/hook.ts";
import type { Signal, SignalName, SignalOf } from "../abi/signal.ts";

interface Source {
  readonly signal: SignalName;
  readonly event: HookEvent;
  readonly bodyOf: (signal: never) => object | null;
}

function source<Name extends SignalName>(
  signal: Name,
  event: HookEvent,
  bodyOf: (signal: SignalOf<Name>) => object | null,
): Source {
  return { signal, event, bodyOf };
}

function notice(why: string, title: string, text: string): object {
  const line = text.trimStart().split("\n", 1).join("");
  return { why, title, text: line.slice(0, NOTICE_CHARS_MAX).toWellFormed() };
}

const NOTICE_CHARS_MAX = 200;

function compacted({
  cause,
  fromSeq,
  toSeq,
  tokensBefore,
  tokensAfter,
}: SignalOf<"chat.compacted" | "process.compacted">) {
  return { cause, fromSeq, toSeq, tokensBefore, tokensAfter };
}

const SOURCES: readonly Source[] = [
  source("chat.start", "run-start", ({ model }) => ({ model })),
  source("chat.tool_result", "tool-after", ({ callId, tool, call, ok, output }) => ({
    callId,
    tool,
    call,
    ok,
    output,
  })),
  source("chat.hil", "approval", ({ id, kind, tool, call, args, why }) => ({ id, kind, tool, call, args, why })),
  source("chat.hil", "notification", ({ id, kind, tool, why, pid }) =>
    notice("approval", `${pid} waits for you`, kind === "question" ? `a question: ${id}` : `${tool}: ${why} (${id})`),
  ),
  source("chat.complete", "run-end", ({ status, reason, text, error, usage, mergedInto }) => {
    return { status, reason, text, error, usage, mergedInto };
  }),
  // Messages that were answered together are one event.
  source("chat.complete", "notification", ({ status, text, error, pid, mergedInto }) =>
    mergedInto === null ? notice("run-end", `${pid}: ${status}`, error ?? text ?? "") : null,
  ),
  source("chat.compacted", "compact", compacted),
  source("process.compacted", "compact", compacted),
  source("process.spawn", "process-start", ({ label }) => ({ label })),
  source("process.reset", "reset", ({ archive }) => ({ archive })),
  source("process.exit", "process-end", ({ archive }) => ({ archive })),
  source("process.state", "notification", ({ pid, state, waitsFor }) =>
    state === "paused" && waitsFor !== null && "reason" in waitsFor
      ? notice("paused", `${pid} is paused`, waitsFor.reason)
      : null,
  ),
  source("process.budget", "notification", ({ pid, text }) => notice("budget", `${pid}: budget`, text)),
  source("process.schedule", "notification", ({ schedule, text }) =>
    notice("schedule", `schedule ${schedule} failed`, text),
  ),
  source("process.timeout_warning", "notification", ({ pid, endsAt }) =>
    notice(
      "timeout",
      `${pid} is inactive`,
      `stopped at ${new Date(endsAt).toISOString()} if nothing happens until then`,
    ),
  ),
];

export function eventsOf(signal: Signal): readonly { readonly event: HookEvent; readonly body: object }[] {
  return SOURCES.filter((each) => each.signal === signal.name).flatMap(({ event, bodyOf }) => {
    const body = bodyOf(signal as never);
    return body === null ? [] : [{ event, body }];
  });
}

export function signalsFor(events: ReadonlySet<string>): readonly SignalName[] {
  return [...new Set(SOURCES.filter(({ event }) => events.has(event)).map(({ signal }) => signal))];
}
