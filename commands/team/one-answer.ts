// One message to a process and the whole of its answer: what commands are made of that put several processes together.

import type { Sys } from "../../src/abi/sys.ts";
import type { Sent, WaitResult } from "../../src/syscalls/services.ts";
import { wholeMessage } from "../history/message-pieces.ts";

/** Waits for time to pass, and for no person. */
export async function answerOf(sys: Sys, pid: string, message: string): Promise<WaitResult> {
  const { runId } = await sys.call<Sent>("proc.send", { pid, message });
  const { results } = await sys.call<{ results: [WaitResult] }>("proc.wait", { pids: [pid], run: runId });
  const [result] = results;
  // proc.wait cuts long answers.
  return result.inPart ? { ...result, text: (await wholeMessage(sys, { pid })).text, inPart: false } : result;
}

/** `a/b` names a model, anything else an agent. */
export function actingAs(name: string): { readonly model: string } | { readonly as: string } {
  return name.includes("/") ? { model: name } : { as: name };
}
