// The tool `wait`: it returns by itself before a client gives up, with the answer, with what holds the agent, or with "still running". A
// request of the agent is asked through a client that can ask its person; otherwise the result says how to decide it.

import { type ProcessInfo, WORKING_STATES } from "../../../src/abi/process/process.ts";
import { sanitize } from "../../../src/lib/text/sanitize.ts";
import { either } from "../../../src/lib/wait.ts";
import { stateText, waitsForText } from "../../../src/syscalls/format.ts";
import type { WaitResult } from "../../../src/syscalls/services.ts";
import { answerOf, requestNow } from "./approvals.ts";
import { pieceOf } from "./pages.ts";
import type { Outcome, ServerPorts, ToolCall } from "./tool.ts";

/** Clients built on the TypeScript SDK give up after 60 s. */
export const LONGEST_WAIT_S = 50;
const PROGRESS_MS = 5000;

interface Wish {
  readonly pid: string;
  readonly run?: string;
  readonly seconds: number;
}

export async function untilEnd(ports: ServerPorts, wish: Wish, call: ToolCall): Promise<Outcome> {
  const answered = await answerOf(ports, call);
  const ended = await waited(ports, wish, call);
  const outcome = ended === null ? await stillRunning(ports, wish) : await endOf(ports, ended, call);
  return answered === null || typeof outcome !== "string" ? outcome : `${answered}\n${outcome}`;
}

async function waited(
  { sys, clock }: ServerPorts,
  { pid, run, seconds }: Wish,
  { signal, progress }: ToolCall,
): Promise<WaitResult | null> {
  const late = new AbortController();
  const began = clock.mono();
  const stops = [clock.after(seconds * 1000, () => late.abort())];
  const tick = () => {
    progress(`${pid} is working, ${Math.round((clock.mono() - began) / 1000)} s`);
    stops.push(clock.after(PROGRESS_MS, tick));
  };
  stops.push(clock.after(PROGRESS_MS, tick));
  try {
    const asked = { pids: [pid], ...(run !== undefined && { run }) };
    const { results } = await sys.call<{ results: [WaitResult] }>("proc.wait", asked, {
      signal: either(late.signal, signal),
    });
    return results[0];
  } catch (error) {
    if (late.signal.aborted && !signal.aborted) return null;
    throw error;
  } finally {
    for (const stop of stops) stop();
  }
}

async function stillRunning({ sys }: ServerPorts, { pid, seconds }: Wish): Promise<string> {
  const row = await sys.call<ProcessInfo>("proc.get", { pid });
  const waits = row.waitsFor === null ? "" : `, waits for ${waitsForText(row.waitsFor)}`;
  const state = WORKING_STATES.includes(row.state) ? "still running" : stateText(row);
  return sanitize(`${pid}: ${state} after ${seconds} s${waits}. Call wait again.`);
}

async function endOf(ports: ServerPorts, result: WaitResult, call: ToolCall): Promise<Outcome> {
  const { pid, status, text, error, inPart, waitsFor } = result;
  if (waitsFor?.kind === "approval" || waitsFor?.kind === "question")
    return await requestNow(ports, waitsFor.id, call, `${pid}: `);
  if (status === "none") return `${pid}: no run yet. Send it a message.`;
  const why = waitsFor === null ? error : waitsForText(waitsFor);
  const head = `${pid}: ${status}${why === null ? "" : ` (${why})`}`;
  const more = inPart ? "\n(the answer is cut: read_history with message 0 has all of it)" : "";
  return sanitize(`${pieceOf(text === null ? head : `${head}\n\n${text}`, 0, null)}${more}`);
}
