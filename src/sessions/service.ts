// The service behind session.*. It works on the session's process, through the services behind proc.*, so both show the same.

import { SysError } from "../abi/errno.ts";
import { isInit, isUuid } from "../abi/ids.ts";
import type { Generation } from "../store/kernel/processes/sessions.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Conversations } from "../syscalls/proc/history-service.ts";
import type { Archives, Closed, Processes } from "../syscalls/services.ts";
import type { SessionReset, SessionRestored, Sessions } from "../syscalls/session/session-service.ts";
import { archivePath, nameOf, sessionNamed } from "./addresses.ts";
import { type ChangePorts, changeNamed, valueWritten } from "./changes.ts";
import { type LifePorts, openedAt, sessionLife } from "./lifecycle.ts";
import { type Routed, type RoutePorts, Routes } from "./routes.ts";
import { sessionViews, tokensFrom, usedIn, type ViewPorts } from "./views.ts";

export interface SessionPorts
  extends ViewPorts,
    Omit<RoutePorts, "processes">,
    Omit<ChangePorts, "processes">,
    Omit<LifePorts, "processes"> {
  readonly processes: Processes;
  readonly conversations: Pick<Conversations, "compact">;
  readonly archives: Pick<Archives, "verify">;
}

export function sessionsService(ports: SessionPorts): Sessions {
  const { kernel, processes, conversations } = ports;
  const routes = new Routes(ports);
  return {
    ...sessionViews(ports),
    ...sessionLife(ports, routes),

    async open(context, written, about) {
      const { session, row, ...by } = await openedAt(kernel, routes, context, { key: written, about });
      return { key: nameOf(session), pid: row.pid, ...by };
    },

    async reset(context, key) {
      const routed = await routes.find(context, key);
      return await resetOf(ports, routed, () => processes.reset(context, { pid: routed.row.pid }));
    },

    async compact(context, { key, keep }) {
      const { session, row } = await routes.find(context, key);
      const wish = { pid: row.pid, keep, preview: false, undo: false };
      return { key: nameOf(session), ...(await conversations.compact(context, wish)) };
    },

    async set(context, { key, path: written, value, create }) {
      const { path, change } = changeNamed(written);
      if (!create) await used(ports, context, key);
      const routed = await openedAt(kernel, routes, context, { key });
      const done = await change({ ports, context, routed, path, value: valueWritten(value), written: value });
      return { key: nameOf(routed.session), path, ...done };
    },

    async remove(context, key) {
      const session = await sessionNamed(kernel, context.caller, key);
      const { id, pid } = session;
      if (pid !== null && isInit(pid))
        throw new SysError("EPERM", "the session of your init cannot be removed", ["gsv session reset archives it"]);
      const archivedTo = pid === null ? null : (await processes.kill(context, { pid, archive: true })).archivedTo;
      await kernel.sessions.remove(id);
      return { key: nameOf(session), id, archivedTo };
    },

    async restore(context, id) {
      const { generation, archiveId } = await archived(ports, context, id);
      const session = await kernel.sessions.get(generation.sessionId);
      if (session === null) throw noSuchConversation(id);
      const routed = await routes.open(context, session.id);
      const { pid } = routed.row;
      const reset = await resetOf(ports, routed, () => processes.reset(context, { pid, restore: archiveId }));
      if (reset.pending) throw new SysError("EINVAL", "a process cannot restore a conversation into itself");
      const { messageCount: messages } = await ports.histories.page(context, pid, { limit: 1 });
      return { ...reset, restoredFrom: generation.id, messages } satisfies SessionRestored;
    },
  };
}

/** A mistyped key must not create a session. */
async function used({ kernel }: Pick<SessionPorts, "kernel">, { caller }: CallContext, key: string): Promise<void> {
  try {
    await sessionNamed(kernel, caller, key);
  } catch (error) {
    if (!(error instanceof SysError) || error.code !== "ENOENT") throw error;
    throw new SysError("ENOENT", error.message, ["to create it: --create", ...error.hints]);
  }
}

async function resetOf(
  { kernel }: Pick<SessionPorts, "kernel">,
  { session, row: { pid } }: Routed,
  reset: () => Promise<Closed>,
): Promise<SessionReset> {
  const before = await kernel.sessions.current(pid);
  const closed = await reset();
  const key = nameOf(session);
  const nothing = { key, pid, oldSessionId: before?.id ?? null, newSessionId: null };
  if (closed.pending) return { ...nothing, archivedMessages: 0, tokens: 0, archivedTo: null, pending: true };
  const ended = before === null ? null : await kernel.sessions.generation(before.id);
  const archivedTo = ended?.key == null ? closed.archivedTo : archivePath(session, ended.key);
  return {
    ...nothing,
    newSessionId: (await kernel.sessions.current(pid))?.id ?? null,
    archivedMessages: closed.archivedMessages,
    tokens: tokensFrom(await usedIn(kernel, ended)).total,
    archivedTo,
  };
}

/** Finds a conversation of the caller by its id, a prefix of it, or the id of its archive. Verifies the archive before the reset begins. */
async function archived(
  { kernel, archives }: Pick<SessionPorts, "kernel" | "archives">,
  { caller }: CallContext,
  id: string,
): Promise<{ readonly generation: Generation; readonly archiveId: string }> {
  const found = isUuid(id)
    ? [await kernel.sessions.generation(id), await kernel.sessions.closedBy(id)].filter((each) => each !== null)
    : await kernel.sessions.beginning(caller.ownerUid, id.toLowerCase());
  const [generation, another] = found;
  if (generation === undefined) throw noSuchConversation(id);
  if (another !== undefined && another.id !== generation.id)
    throw new SysError("EINVAL", `ambiguous conversation id: ${id}`, ["use more characters of the id"]);
  if (generation.endedAt === null)
    throw new SysError("EINVAL", `conversation ${id} is the current one: nothing to restore`);
  const archive = generation.closingId === null ? null : await kernel.archives.get(generation.closingId);
  if (archive === null) throw new SysError("ENOENT", `conversation ${id} has no archive`, ["gsv archive list"]);
  const { ok, fault } = await archives.verify(caller, archive.id).catch((error: unknown) => {
    if (error instanceof SysError && error.code === "ENOENT") throw noSuchConversation(id);
    throw error;
  });
  if (!ok) throw new SysError("EIO", `the archive of ${id} is damaged: ${fault}`, ["to check the home: gsv doctor"]);
  return { generation, archiveId: archive.id };
}

function noSuchConversation(id: string): SysError {
  return new SysError("ENOENT", `no such conversation: ${id.slice(0, 80).toWellFormed()}`, [
    "to list ids: gsv session history --json",
  ]);
}
