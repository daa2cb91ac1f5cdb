// The service behind notify.*: checks who may send what.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { type Caller, mayUse } from "../abi/identity.ts";
import { isPid } from "../abi/ids.ts";
import { ACTION_COMMANDS, type NotificationAction, type NotificationSource } from "../abi/notification.ts";
import type { ReceiptContext } from "../kernel/dispatch.ts";
import { visibleProcess } from "../kernel/registry.ts";
import type { Clock } from "../lib/clock.ts";
import { durationMs } from "../lib/text/duration.ts";
import { clip } from "../lib/text/truncate.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { MarkedNotifications, Notifications } from "../syscalls/due/notify-service.ts";
import { notificationList, shownNotification } from "./notification-list.ts";
import { lineOf, type Notifier, UNREAD_KEPT_MS } from "./notifier.ts";
import { scheduleNamed } from "./views.ts";

export interface NotifyPorts {
  readonly kernel: Pick<
    KernelStore,
    "notifications" | "processes" | "archives" | "requests" | "schedules" | "approvals"
  >;
  readonly clock: Clock;
  readonly notifier: Pick<Notifier, "add" | "updated">;
}

/** All terminals of an account claim the same news at about the same time. */
const CLAIM_MS = 60_000;
const HOUR_MS = 3_600_000;
const READ_KEPT_MS = 7 * 86_400_000;
const DISMISSED_KEPT_MS = 3 * 86_400_000;
const TTL_MAX_MS = 90 * 86_400_000;

export function notificationsService(ports: NotifyPorts): Notifications {
  const { kernel, clock, notifier } = ports;
  /** Instants of claims by account and news, the oldest first. */
  const claims = new Map<string, number>();
  const mark = async (
    verb: "read" | "dismiss",
    { ownerUid: uid }: Caller,
    { ids, keptMs }: { readonly ids: readonly string[] | undefined; readonly keptMs: number },
  ): Promise<MarkedNotifications> => {
    const now = clock.now();
    if (ids?.length === 0)
      throw new SysError("EINVAL", "no notification named", ["name ids of gsv notify list, or pass --all"]);
    await refuseUnknown(kernel, uid, ids ?? [], now);
    const changed = await kernel.notifications[verb]({ uid, ids: ids ?? null, now, expiresAt: now + keptMs });
    return { ids: changed, unread: await notifier.updated(uid) };
  };
  return {
    list: notificationList(ports),
    async send(context, { title, body, level, ttl, action }) {
      const { caller } = context;
      if (lineOf(title, LIMITS.notificationTitleCharsMax) === "") throw new SysError("EINVAL", "the title is empty");
      const actions = action === undefined ? [] : [await actionFor(kernel, caller, action)];
      if (caller.kind === "process") await refuseTooMany(kernel, caller, clock.now());
      const news = { title, body: body ?? null, level, source: sourceOf(caller), actions, ttlMs: ttlOf(ttl) };
      const row = await notifier.add(caller.ownerUid, news, (added) => {
        const receipt = (context as ReceiptContext).receipt?.(shownNotification(added));
        return receipt === undefined ? {} : { receipt };
      });
      if (row === null) throw new SysError("EIO", "the notification was not stored");
      return shownNotification(row);
    },
    claim({ ownerUid }, news) {
      const now = clock.now();
      for (const [key, at] of claims) if (now - at >= CLAIM_MS || at > now) claims.delete(key);
      const key = `${ownerUid} ${news}`;
      const first = !claims.has(key);
      if (first) claims.set(key, now);
      return { first };
    },
    read: ({ caller }, ids) => mark("read", caller, { ids, keptMs: READ_KEPT_MS }),
    dismiss: ({ caller }, ids) => mark("dismiss", caller, { ids, keptMs: DISMISSED_KEPT_MS }),
  };
}

function sourceOf({ pid, username }: Caller): NotificationSource {
  return pid === undefined ? { kind: "account", name: username } : { kind: "process", pid };
}

function ttlOf(text: string | undefined): number {
  if (text === undefined) return UNREAD_KEPT_MS;
  const ms = durationMs(text);
  if (ms !== null && ms <= TTL_MAX_MS) return ms;
  throw new SysError("EINVAL", `invalid --ttl: ${JSON.stringify(text)}`, ["1s to 90d, for example 30m or 2h"]);
}

async function refuseUnknown(
  kernel: NotifyPorts["kernel"],
  uid: number,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  const query = { uid, now, limit: LIMITS.notificationsPerAccountMax };
  const [shown, dismissed] = await Promise.all([
    kernel.notifications.list(query),
    kernel.notifications.list({ ...query, dismissed: true }),
  ]);
  const known = new Set([...shown, ...dismissed].map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing === undefined) return;
  throw new SysError("ENOENT", `no such notification: ${clip(missing)}`, ["to list yours: gsv notify list"]);
}

async function refuseTooMany(kernel: NotifyPorts["kernel"], { ownerUid, pid }: Caller, now: number): Promise<void> {
  const { notificationsPerProcessHourMax: own, notificationsOfAgentsHourMax: all } = LIMITS;
  const since = now - HOUR_MS;
  const [sent, ofAll] = await Promise.all([
    kernel.notifications.sentSince(ownerUid, since, pid),
    kernel.notifications.sentSince(ownerUid, since),
  ]);
  if (sent >= own) throw new SysError("ELIMIT", `${pid} has sent ${own} notifications in an hour`, ["send fewer"]);
  if (ofAll >= all) throw new SysError("ELIMIT", `agents have sent ${all} notifications in an hour`, ["send fewer"]);
}

const ACTION_HINT = "use 'approve ID', 'open PID', 'retry PID' or 'retry SCHEDULE'";

/** Refuses an action on things that the caller cannot see, and one that it could not do itself. */
async function actionFor(kernel: NotifyPorts["kernel"], caller: Caller, text: string): Promise<NotificationAction> {
  const [word = "", on = "", ...rest] = text.trim().split(/\s+/);
  const command = ACTION_COMMANDS.find((each) => each === word);
  if (command === undefined || on === "" || rest.length > 0)
    throw new SysError("EINVAL", `invalid --action: ${JSON.stringify(text.toWellFormed())}`, [ACTION_HINT]);
  const isAgent = caller.kind !== "person";
  if (isAgent && (command === "approve" || (command === "retry" && !isPid(on))))
    throw new SysError("EPERM", `an agent cannot offer '${command}'`, ["use 'open PID'"]);
  if (isPid(on)) {
    if (command === "approve") throw new SysError("EINVAL", `${on} is not a request`, [ACTION_HINT]);
    await visibleProcess(kernel, caller, on);
    if (command === "retry" && !mayUse(caller, "proc.signal"))
      throw new SysError("EPERM", `${caller.username} cannot resume processes`, ["use 'open PID'"]);
  } else if (command === "approve") await requestOf(kernel, caller, on);
  else if (command === "open") throw new SysError("ESRCH", `no such process: ${on.slice(0, 40)}`, [ACTION_HINT]);
  else await scheduleNamed(kernel, caller, on);
  return { command, on };
}

async function requestOf(kernel: NotifyPorts["kernel"], { ownerUid }: Caller, id: string): Promise<void> {
  const found = await kernel.approvals.find(id);
  if (found?.ownerUid === ownerUid && found.approval.decision === null) return;
  throw new SysError("ENOENT", `no such request: ${JSON.stringify(id)}`, ["to list yours: gsv approvals"]);
}
