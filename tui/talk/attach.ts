// Reads a process before the terminal shows it: state, last messages, pending requests, model.

import type { Approval, ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { WorkspaceView } from "../../src/syscalls/repo/workspace.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { Adopted } from "../state/event.ts";
import { collapsedOf, entriesOf, openCallsOf } from "./collapsed.ts";
import { failuresOf } from "./failures.ts";

export const SHOWN_MESSAGES = 6;
/** A row of text and an empty row. */
const ROWS_PER_MESSAGE = 2;

export interface Attached {
  readonly info: ProcessInfo;
  readonly page: HistoryPage;
  readonly approvals: readonly Approval[];
  readonly model: string | null;
  /** The host directory that it works in. */
  readonly directory: string | null;
}

/** `rows` is the height of the screen, which history should fill. */
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

/** null for gsv's own workspaces: their path is their name. */
async function directoryOf(sys: Sys, { workspaceId }: ProcessInfo): Promise<string | null> {
  if (!workspaceId?.startsWith("dir_")) return null;
  const asked = sys.call<WorkspaceView>("workspace.get", { id: workspaceId });
  return (await asked.catch(() => null))?.directory ?? null;
}

/** `seenSeq` is the last message that this screen has shown of the process before. */
export function adopted(
  { info, page, approvals, model }: Attached,
  { seenSeq, now }: { readonly seenSeq: number | undefined; readonly now: number },
): Adopted {
  const shown = seenSeq === undefined ? page : pageSince(page, seenSeq);
  return {
    info,
    model,
    entries: [...entriesOf(shown), ...failuresOf(info)],
    collapsed: collapsedOf(page),
    calls: openCallsOf(page, now),
    asks: approvals.map((each) => ({ ...each, since: each.createdAt })),
  };
}

/** The new messages of a process that was on this screen before, and at least the last one that a person sent. */
function pageSince(page: HistoryPage, seq: number): HistoryPage {
  const { messages } = page;
  const fresh = messages.findIndex(({ id }) => id > seq);
  const last = messages.findLastIndex(({ role }) => role === "user");
  const from = Math.min(fresh === -1 ? messages.length : fresh, last === -1 ? messages.length : last);
  return { ...page, messages: messages.slice(from) };
}
