// The service behind notify.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { Level, Notification } from "../../abi/notification.ts";
import type { CallContext } from "../define.ts";

export interface NotificationRequest {
  readonly title: string;
  readonly body?: string;
  readonly level: Level;
  /** Such as `30m`. */
  readonly ttl?: string;
  /** Such as `open task:k3x9ab`. */
  readonly action?: string;
}

export interface NotificationsQuery {
  readonly unread?: boolean;
  readonly dismissed?: boolean;
  readonly limit: number;
}

export interface NotificationList {
  /** Newest first. */
  readonly notifications: readonly Notification[];
  /** Of all that the caller may see. */
  readonly unread: number;
}

export interface MarkedNotifications {
  readonly ids: readonly string[];
  /** How many are unread now. */
  readonly unread: number;
}

export interface Notifications {
  send(context: CallContext, request: NotificationRequest): Promise<Notification>;
  /** A process gets only those that it has sent. */
  list(caller: Caller, query: NotificationsQuery): Promise<NotificationList>;
  /** `first`: no other terminal of the account has claimed the same news within the last minute. */
  claim(caller: Caller, news: string): { readonly first: boolean };
  /** Without ids: all. */
  read(context: CallContext, ids?: readonly string[]): Promise<MarkedNotifications>;
  dismiss(context: CallContext, ids?: readonly string[]): Promise<MarkedNotifications>;
}
