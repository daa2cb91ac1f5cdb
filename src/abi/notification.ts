// Notifications: news for an account that stay until they are read or dismissed, or expire.

export const LEVELS = ["info", "success", "warning", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** Commands of gsv that a notification offers. `on` is an approval, a process, or for retry also a schedule. */
export const ACTION_COMMANDS = ["approve", "open", "retry"] as const;

export interface NotificationAction {
  readonly command: (typeof ACTION_COMMANDS)[number];
  readonly on: string;
}

/** Who or what a notification comes from. */
export type NotificationSource =
  | { readonly kind: "account"; readonly name: string }
  /** An agent. Only its title and body are its own words. */
  | { readonly kind: "process"; readonly pid: string }
  | { readonly kind: "approval" | "question"; readonly pid: string; readonly id: string }
  | { readonly kind: "run"; readonly pid: string }
  /** `pid`: the process with the budget; without it, the budget of the day. */
  | { readonly kind: "budget"; readonly pid?: string }
  | { readonly kind: "schedule"; readonly schedule: string }
  /** The id of the watch and of the event. */
  | { readonly kind: "watch"; readonly id: string; readonly event: string };

export interface Notification {
  readonly id: string;
  readonly title: string;
  readonly body: string | null;
  readonly level: Level;
  readonly source: NotificationSource;
  readonly actions: readonly NotificationAction[];
  readonly createdAt: number;
  readonly readAt: number | null;
  readonly dismissedAt: number | null;
  readonly expiresAt: number;
}

/** The command line of an action. */
export function actionCommand({ command, on }: NotificationAction): string {
  if (command === "approve") return `gsv approve ${on}`;
  if (command === "open") return `gsv attach ${on}`;
  return on.includes(":") ? `gsv proc resume ${on}` : `gsv sched run ${on}`;
}

/** The name before the title, unless gsv itself is the sender. */
export function senderOf(source: NotificationSource): string | null {
  return source.kind === "process" ? source.pid : null;
}

const MINUTES_A_DAY = 24 * 60;

/** `22:00-07:00` as minutes of the day; null if it is not a span of time. */
export function quietHours(text: string): { readonly from: number; readonly to: number } | null {
  const [, ...parts] = /^(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  const [fromHour = 99, fromMinute = 99, toHour = 99, toMinute = 99] = parts.map(Number);
  if (fromHour > 23 || toHour > 24 || fromMinute > 59 || toMinute > 59) return null;
  const from = fromHour * 60 + fromMinute;
  const to = (toHour * 60 + toMinute) % MINUTES_A_DAY;
  return from === to ? null : { from, to };
}

/** Minutes until the quiet hours end; null outside of them. */
export function quietFor(text: string, minuteOfDay: number): number | null {
  const quiet = quietHours(text);
  if (quiet === null) return null;
  const since = (minuteOfDay - quiet.from + MINUTES_A_DAY) % MINUTES_A_DAY;
  const lasts = (quiet.to - quiet.from + MINUTES_A_DAY) % MINUTES_A_DAY;
  return since < lasts ? lasts - since : null;
}
