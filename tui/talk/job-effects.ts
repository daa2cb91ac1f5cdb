// Jobs that are processes, done: a task is started with what was asked, and the list is read when it is wanted.

import { allProcesses } from "../../commands/proc/top.ts";
import { messageOf } from "../../src/abi/errno.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import type { EffectPorts } from "../effect-ports.ts";
import { jobRows } from "./jobs.ts";

/** Of what was asked, as the name of the task. */
export const LABEL_CHARS = 60;

export async function startBehind({ io, happen }: EffectPorts, text: string): Promise<void> {
  try {
    const { pid } = await io.sys().call<Spawned>("proc.spawn", { prompt: text, label: shortText(text, LABEL_CHARS) });
    happen({ type: "behind", pid, text });
  } catch (error) {
    happen({ type: "refused", key: "", message: `${text} &`, why: messageOf(error) });
  }
}

/** Those of the shell follow in its own words. */
export async function listJobs(
  { io, state, happen, print, shell }: EffectPorts,
  runLine: (text: string) => void,
): Promise<void> {
  try {
    const { jobs } = state();
    const lines = jobs.length === 0 ? [] : jobRows(jobs, await allProcesses(io));
    if (lines.length > 0) print({ kind: "lines", lines });
    if (shell.hasJobs) runLine("jobs");
    else if (lines.length === 0)
      print({ kind: "note", text: "no jobs: a question or a command that ends in & is one" });
  } catch (error) {
    happen({ type: "told", text: messageOf(error), at: io.clock.now() });
  }
}

/** A number that the shell may use for a job of its own ends neither. */
export function killJobs({ print, shell }: EffectPorts, text: string, runLine: (text: string) => void): void {
  if (!shell.hasJobs) runLine(text);
  else print({ kind: "note", text: `the shell counts jobs of its own, too: ${text} ends the task` });
}
