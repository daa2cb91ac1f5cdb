// What happens at the end of the time that --timeout allows.

import { ENDED_BY } from "../../src/abi/errno.ts";
import { waitAtMost } from "../../src/lib/wait.ts";
import type { Aborted } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";
import type { Ending } from "./ending.ts";
import type { ChatRequest } from "./request.ts";
import type { ChatView } from "./view.ts";

/** After this time, the abort counts as failed. */
const ANSWER_MS = 2000;

interface TimedOutRun {
  readonly request: Pick<ChatRequest, "deadline" | "killOnTimeout">;
  /** Undefined until the kernel has accepted the message. */
  readonly pid: string | undefined;
  readonly runId: string | undefined;
}

/** The end after --timeout: the run continues unless --kill-on-timeout is set. */
export async function timedOut(io: Io, view: ChatView, { request, pid, runId }: TimedOutRun): Promise<Ending> {
  const seconds = (request.deadline?.afterMs ?? 0) / 1000;
  if (pid === undefined) await view.status(`no kernel took the message within ${seconds} s`);
  else if (request.killOnTimeout) {
    const ended = await abortedInTime(io, { pid, runId });
    await view.status(`no answer within ${seconds} s${ended ? ": run aborted" : `; the message stays with ${pid}`}`);
  } else await view.status(`no answer within ${seconds} s; the run goes on: gsv wait ${pid}`);
  return { status: "timeout", exit: ENDED_BY.time };
}

async function abortedInTime(
  io: Pick<Io, "sys" | "clock">,
  of: { readonly pid: string; readonly runId: string | undefined },
): Promise<boolean> {
  const asked = io
    .sys()
    .call<Aborted>("proc.abort", of)
    .then(({ aborted }) => aborted);
  return (await waitAtMost(io.clock, ANSWER_MS, asked))?.value ?? false;
}
