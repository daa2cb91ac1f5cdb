// What there is to know of a process when one begins to talk to it: its state, what was said last, what waits for an answer, who answers.

import type { Approval, ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { WorkspaceView } from "../../src/syscalls/repo/workspace-service.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";

export const SHOWN_MESSAGES = 6;
/** The least that one takes: itself, and what sets it off. */
const ROWS_PER_MESSAGE = 2;

export interface Attached {
  readonly info: ProcessInfo;
  readonly page: HistoryPage;
  /** Of all processes. */
  readonly approvals: readonly Approval[];
  /** Null when that cannot be told. */
  readonly model: string | null;
  /** The directory of this machine it works in. */
  readonly directory: string | null;
}

/** `rows` are those of the screen: its last one of history shall be there. */
export async function attachTo(sys: Sys, pid: string, rows: number): Promise<Attached> {
  const limit = Math.max(SHOWN_MESSAGES, Math.ceil(rows / ROWS_PER_MESSAGE));
  const [info, { approvals }, page, model] = await Promise.all([
    sys.call<ProcessInfo>("proc.get", { pid }),
    sys.call<{ approvals: readonly Approval[] }>("hil.list", {}),
    sys.call<HistoryPage>("proc.history", { pid, limit }),
    sys.call<{ answers: string }>("proc.model", { pid }).catch(() => null),
  ]);
  return { info, page, approvals, model: model?.answers ?? null, directory: await directoryOf(sys, info) };
}

/** A workspace of gsv's own is where its name says. */
async function directoryOf(sys: Sys, { workspaceId }: ProcessInfo): Promise<string | null> {
  if (!workspaceId?.startsWith("dir_")) return null;
  const asked = sys.call<WorkspaceView>("workspace.get", { id: workspaceId });
  return (await asked.catch(() => null))?.directory ?? null;
}

/** Of a process whose history was on this screen before: what came since, and at the least the last thing that was said to it. */
export function pageSince(page: HistoryPage, seq: number): HistoryPage {
  const { messages } = page;
  const isNew = messages.findIndex(({ id }) => id > seq);
  const said = messages.findLastIndex(({ role }) => role === "user");
  const from = Math.min(isNew === -1 ? messages.length : isNew, said === -1 ? messages.length : said);
  return { ...page, messages: messages.slice(from) };
}
