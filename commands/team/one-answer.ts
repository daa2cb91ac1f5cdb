// Sends a message to a process and waits for the complete answer, for commands that combine several processes.

import type { Sys } from "../../src/abi/sys.ts";
import type { Sent, WaitResult } from "../../src/syscalls/services.ts";
import { wholeMessage } from "../history/messages.ts";

/** Waits through retries, but not for a person. */
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
