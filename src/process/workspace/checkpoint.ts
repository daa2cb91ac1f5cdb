// Commits a transcript and a short summary to the workspace before a history is archived, with outside edits in the same commit. Best effort: a
// failure is logged and reported, and never blocks a reset or kill. Host directories are left alone.

import { messageOf, SysError } from "../../abi/errno.ts";
import type { Checkpoint } from "../../abi/process/workspace.ts";
import { keepFiles } from "../../kernel/workspaces/kept-files.ts";
import { type NewWorkspacePorts, ownerName } from "../../kernel/workspaces/new-workspace.ts";
import { waitAtMost } from "../../lib/wait.ts";
import type { VersionedTree } from "../../repos/tree.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ArchiveRecord } from "../../store/process/verbs.ts";
import { sectionFor, shortened, summaryWith } from "../history/summary.ts";

export interface Ending {
  readonly reason: "reset" | "kill";
  readonly archivedTo: string | null;
  readonly messages: number;
  readonly records: AsyncIterable<readonly ArchiveRecord[]>;
}

export type Checkpointer = (row: ProcessRow, ending: Ending) => Promise<Checkpoint | null>;

/** Timeout for git, so that a reset or kill is not blocked. */
const PATIENCE_MS = 5000;
const TRANSCRIPT_BYTES_MAX = 8 * 1024 * 1024;

export function checkpointer(ports: NewWorkspacePorts): Checkpointer {
  return async (row, ending) => {
    if (row.workspaceId === null) return null;
    const workspaceId = row.workspaceId;
    try {
      const workspace = await ports.kernel.workspaces.get(workspaceId);
      if (workspace === null || workspace.directory !== null || workspace.state === "archived") return null;
      const owner = await ownerName(ports, workspace.ownerUid);
      const tree = (await ports.repos()).tree({ owner, name: workspaceId });
      const conversation = ending.archivedTo === null ? null : await conversationIn(ending);
      const commit = await inTime(ports, keep({ ...ports, tree, owner }, row, ending, conversation));
      await ports.kernel.workspaces.change(workspaceId, { updatedAt: ports.clock.now() });
      return { workspaceId, commit, fault: null };
    } catch (error) {
      const fault = messageOf(error);
      ports.log(`no checkpoint of ${row.pid} in ${workspaceId}: ${fault}`);
      return { workspaceId, commit: null, fault: shortened(fault) };
    }
  };
}

interface Keeping extends Pick<NewWorkspacePorts, "clock"> {
  readonly tree: VersionedTree;
  readonly owner: string;
}

async function keep(
  { tree, owner, clock }: Keeping,
  row: ProcessRow,
  ending: Ending,
  conversation: Conversation | null,
): Promise<string | null> {
  if (!tree.versioned) throw new SysError("ENOSYS", "git is not installed");
  const before = await tree.repository.head();
  await tree.record();
  if (conversation !== null && conversation.transcript !== "") {
    const old = await summaryIn(tree);
    const files = new Map([
      [`processes/${row.pid}/chat.jsonl`, conversation.transcript],
      ["summary.md", summaryWith(old, sectionFor(row, { ...ending, ...conversation, now: clock.now() }))],
    ]);
    await keepFiles(tree, { author: owner, message: `checkpoint proc ${ending.reason}` }, files);
  }
  const after = await tree.repository.head();
  return after === before ? null : after;
}

async function inTime<T>({ clock }: NewWorkspacePorts, work: Promise<T>): Promise<T> {
  const done = await waitAtMost(clock, PATIENCE_MS, work);
  if (done === null) throw new SysError("EAGAIN", "timed out; the workspace is unchanged");
  return done.value;
}

interface Conversation {
  readonly transcript: string;
  readonly asked: string;
  readonly answered: string;
}

async function conversationIn({ records, archivedTo }: Ending): Promise<Conversation> {
  const lines: string[] = [];
  const last = { user: "", assistant: "" };
  let bytes = 0;
  let isCut = false;
  for await (const page of records) {
    for (const record of page) {
      const line = JSON.stringify(record);
      bytes += Buffer.byteLength(line) + 1;
      if (bytes <= TRANSCRIPT_BYTES_MAX) lines.push(line);
      else isCut = true;
      if (record.role === "user" || record.role === "assistant") last[record.role] = textOf(record.content);
    }
  }
  if (isCut) lines.push(JSON.stringify({ role: "system", content: `cut; full history: ${archivedTo}` }));
  const transcript = lines.map((line) => `${line}\n`).join("");
  return { transcript, asked: last.user, answered: last.assistant };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const { text } = (content ?? {}) as { readonly text?: unknown };
  return typeof text === "string" ? text : "";
}

async function summaryIn(tree: VersionedTree): Promise<string> {
  const file = Bun.file(`${tree.directory}/.gsv/summary.md`);
  return (await file.exists()) && file.size < TRANSCRIPT_BYTES_MAX ? await file.text() : "";
}
