// Stores notifications and announces them: to terminals by a signal, and to the account's own program. In quiet hours, and after a few in
// a short time, they wait, and are then announced as one.

import { LIMITS } from "../abi/config/limits.ts";
import { initPid } from "../abi/ids.ts";
import { LEVELS, type Notification } from "../abi/notification.ts";
import type { SignalOf } from "../abi/signal.ts";
import type { Bus } from "../kernel/bus.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import { Serial } from "../lib/serial.ts";
import { sanitize } from "../lib/text/sanitize.ts";
import { shortText } from "../lib/text/truncate.ts";
import type { ClaimOf } from "../store/kernel/due/due.ts";
import type { AddNotification, NotificationRow } from "../store/kernel/due/notifications.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";

export interface NotifierPorts {
  /** Called after one was stored that waits; without an instant, after one may wait no longer. */
  readonly due: (at: number | null) => void;
  readonly kernel: Pick<KernelStore, "notifications">;
  readonly bus: Pick<Bus, "emit">;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** The end of the account's quiet hours; null outside of them. */
  readonly quietUntil: (uid: number, now: number) => Promise<number | null>;
  /** Hands an announcement to the account's program. */
  readonly command: (announced: Announcement) => Promise<void>;
}

export type Announcement = SignalOf<"notification.created">;

export type News = Pick<Notification, "title" | "body" | "level" | "source"> &
  Partial<Pick<Notification, "actions">> & { readonly ttlMs?: number };

export const UNREAD_KEPT_MS = 30 * 86_400_000;
const AT_ONCE_MAX = 3;
const TOGETHER_MS = 30_000;
const TITLES_MAX = 3;
const ID_LENGTH = 6;

type Options = (row: NotificationRow) => Omit<AddNotification, "max">;

export class Notifier {
  /** Instants of the last announcements by account. */
  private readonly announced = new Map<number, readonly number[]>();
  private readonly working = new Set<Promise<void>>();
  private readonly adding = new Serial();
  private isStopped = false;

  constructor(private readonly ports: NotifierPorts) {}

  stop(): void {
    this.isStopped = true;
  }

  get isBusy(): boolean {
    return this.working.size > 0;
  }

  async settled(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working);
  }

  /** Null if it was not added: an unread one has the same source. One after the other, so that no two get the same id. */
  add(uid: number, news: News, options: Options = () => ({})): Promise<NotificationRow | null> {
    return this.adding.run(() => this.addNow(uid, news, options));
  }

  private async addNow(uid: number, news: News, options: Options): Promise<NotificationRow | null> {
    const { kernel, clock } = this.ports;
    const now = clock.now();
    const announceAt = await this.waitsUntil(uid, now);
    const { ttlMs = UNREAD_KEPT_MS, actions = [], level, source } = news;
    const row: NotificationRow = {
      ...{ id: await this.newId(uid, now), uid, level, source, actions, announceAt },
      title: lineOf(news.title, LIMITS.notificationTitleCharsMax),
      body: news.body === null ? null : shortText(sanitize(news.body), LIMITS.notificationBodyCharsMax),
      ...{ createdAt: now, readAt: null, dismissedAt: null, expiresAt: now + ttlMs },
    };
    const max = LIMITS.notificationsPerAccountMax;
    if (!(await kernel.notifications.add(row, { ...options(row), max }))) return null;
    if (announceAt === null) await this.announce(uid, [row]);
    else this.ports.due(announceAt);
    return row;
  }

  /** Adds without being waited for. */
  addLater(work: () => Promise<unknown>): void {
    if (this.isStopped) return;
    const tracked = work()
      .then(() => {}, this.ports.onFault)
      .finally(() => this.working.delete(tracked));
    this.working.add(tracked);
  }

  /** Call it after notifications were read or dismissed. */
  async updated(uid: number): Promise<number> {
    const { kernel, bus, clock } = this.ports;
    const at = clock.now();
    this.ports.due(null);
    const unread = await kernel.notifications.unread(uid, at);
    bus.emit({ name: "notification.updated", pid: initPid(uid), uid, parent: null, at, unread });
    return unread;
  }

  private async waitsUntil(uid: number, now: number): Promise<number | null> {
    const quiet = await this.ports.quietUntil(uid, now);
    if (quiet !== null) return quiet;
    const recent = (this.announced.get(uid) ?? []).filter((at) => at <= now && now - at < TOGETHER_MS);
    if (recent.length < AT_ONCE_MAX) this.announced.set(uid, [...recent, now]);
    return recent.length < AT_ONCE_MAX ? null : Math.max(...recent) + TOGETHER_MS;
  }

  /** Announces those that have waited. */
  async claimed(claims: readonly ClaimOf<"notification">[]): Promise<void> {
    const now = this.ports.clock.now();
    const rows = claims.map(({ row }) => row).toSorted((left, right) => left.createdAt - right.createdAt);
    const accounts = Map.groupBy(rows, ({ uid }) => uid);
    for (const [uid, rows] of accounts) {
      this.announced.set(uid, [now]);
      await this.announce(uid, rows);
    }
  }

  private async announce(uid: number, rows: readonly NotificationRow[]): Promise<void> {
    const { kernel, bus, clock, command } = this.ports;
    const at = clock.now();
    const unread = await kernel.notifications.unread(uid, at);
    const signal = announcementOf(uid, rows, { at, unread });
    bus.emit(signal);
    this.addLater(() => command(signal));
  }

  private async newId(uid: number, now: number): Promise<string> {
    for (let n = 0; ; n++) {
      const id = BigInt(`0x${sha256Hex(`${uid} ${now} ${n}`)}`)
        .toString(36)
        .slice(-ID_LENGTH);
      if (!(await this.ports.kernel.notifications.has(id))) return id;
    }
  }
}

function announcementOf(
  uid: number,
  rows: readonly NotificationRow[],
  { at, unread }: { readonly at: number; readonly unread: number },
): Announcement {
  const [first] = rows;
  const base = { name: "notification.created" as const, uid, parent: null, at, unread, ids: rows.map(({ id }) => id) };
  if (first !== undefined && rows.length === 1) {
    const { title, body, level, source, actions } = first;
    const pid = "pid" in source && source.pid !== undefined ? source.pid : initPid(uid);
    return { ...base, pid, title, body, level, source, actions };
  }
  const level = LEVELS[Math.max(...rows.map((row) => LEVELS.indexOf(row.level)))] ?? "info";
  const titles = rows.slice(0, TITLES_MAX).map(({ title }) => title);
  const more = rows.length > TITLES_MAX ? [`and ${rows.length - TITLES_MAX} more`] : [];
  return {
    ...{ ...base, pid: initPid(uid), title: `${rows.length} notifications`, body: [...titles, ...more].join("\n") },
    ...{ level, source: null, actions: [] },
  };
}

export function lineOf(text: string, charsMax: number): string {
  return shortText(sanitize(text).replace(/\s+/g, " ").trim(), charsMax);
}
