// A sample of each event, for testing hooks.

import type { HookEvent } from "../abi/hook.ts";

const CALL = { callId: "call_1", tool: "Shell", call: "shell.exec" };
const COMMAND = { target: "host", command: "rm -rf build" };
const USAGE = { tokensIn: 1200, tokensOut: 80, costUsd: 0.004 };

const SAMPLES: { readonly [Event in HookEvent]: object } = {
  "run-start": { model: "offline" },
  prompt: { text: "Tidy up the build directory.", from: "person" },
  "tool-before": { ...CALL, args: COMMAND, approved: false },
  "tool-after": { ...CALL, ok: true, output: "" },
  approval: { id: "k3x9", kind: "approval", tool: "Shell", call: "shell.exec", args: COMMAND, why: "it deletes" },
  "run-end": { status: "ok", reason: "turn.complete", text: "Done.", error: null, usage: USAGE, mergedInto: null },
  "process-start": { label: "tidy up" },
  "process-end": { archive: null },
  reset: { archive: null },
  compact: { cause: "pressure", fromSeq: 1, toSeq: 40, tokensBefore: 90_000, tokensAfter: 12_000 },
  notification: { why: "run-end", title: "task:sample: ok", text: "Done." },
};

export function sampleOf(event: HookEvent): object {
  return SAMPLES[event];
}
