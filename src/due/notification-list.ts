// Notifications as their readers see them. Needs no kernel.

import type { Notification } from "../abi/notification.ts";
import type { Clock } from "../lib/clock.ts";
import type { NotificationRow } from "../store/kernel/due/notifications.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Notifications } from "../syscalls/due/notify-service.ts";

export interface NotificationListPorts {
  readonly kernel: Pick<KernelStore, "notifications">;
  readonly clock: Clock;
}

export function notificationList({ kernel, clock }: NotificationListPorts): Notifications["list"] {
  return async ({ ownerUid: uid, pid }, { unread, dismissed, limit }) => {
    const now = clock.now();
    const sentBy = pid === undefined ? {} : { sentBy: pid };
    const query = { uid, now, ...sentBy };
    const flags = { unread: unread === true, dismissed: dismissed === true };
    const rows = await kernel.notifications.list({ ...query, ...flags, limit });
    if (pid === undefined)
      return { notifications: rows.map(shownNotification), unread: await kernel.notifications.unread(uid, now) };
    const own = await kernel.notifications.list({ ...query, unread: true, limit: OWN_MAX });
    return { notifications: rows.map(shownNotification), unread: own.length };
  };
}

const OWN_MAX = 500;

export function shownNotification({ uid: _, announceAt: __, ...shown }: NotificationRow): Notification {
  return shown;
}
