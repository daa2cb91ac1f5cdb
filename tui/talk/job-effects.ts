// Effects of jobs that are processes: start a task, list the jobs, kill some.

import { allProcesses } from "../../commands/proc/process-names.ts";
import { messageOf } from "../../src/abi/errno.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import type { EffectPorts } from "../effect-ports.ts";
import { inDirectory } from "../state/state.ts";
import { jobRows } from "./jobs.ts";

export const LABEL_CHARS = 60;

export async function startInBackground({ io, state, dispatch }: EffectPorts, text: string): Promise<void> {
  try {
    const asked = { prompt: text, label: shortText(text, LABEL_CHARS), ...inDirectory(state().who) };
    const { pid } = await io.sys().call<Spawned>("proc.spawn", asked);
    dispatch({ type: "job-started", pid, text });
  } catch (error) {
    dispatch({ type: "refused", key: "", message: `${text} &`, why: messageOf(error) });
  }
}

/** Jobs of the shell follow, as the shell prints them. */
export async function listJobs(
  { io, state, print, shell }: EffectPorts,
  runLine: (text: string) => void,
): Promise<void> {
  const { jobs } = state().background;
  const lines = jobs.length === 0 ? [] : jobRows(jobs, await allProcesses(io));
  if (lines.length > 0) print({ kind: "lines", lines });
  if (shell.hasJobs) runLine("jobs");
  else if (lines.length === 0)
    print({ kind: "note", text: "No jobs. End a question or a command with & to start one." });
}

/** If the shell has jobs too, the number could mean one of those: then nothing is killed. */
export function killJobs({ print, shell }: EffectPorts, text: string, runLine: (text: string) => void): void {
  if (!shell.hasJobs) runLine(text);
  else print({ kind: "note", text: `The shell has jobs with numbers too. To kill the task: ${text}` });
}
