// notify.*: news that stay until people have read them. Agents may send a few, with their name on them; only people read and dismiss.

import { LIMITS } from "../../abi/config/limits.ts";
import { actionCommand, LEVELS, type Level, type Notification, senderOf } from "../../abi/notification.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import type { Tone } from "../../lib/text/tones.ts";
import { field, syscall, value } from "../define.ts";
import type { MarkedNotifications, NotificationList, Notifications } from "./notify-service.ts";

type Service = { notifications: Notifications };

const TONES: { readonly [L in Level]: Tone | undefined } = {
  ...{ info: undefined, success: "good", warning: "needs", error: "bad" },
};

const marks = {
  ids: field.optional(
    field.words("the notifications", { positional: true, shortest: 1, longest: 16, meta: "ID", of: "notification" }),
  ),
  all: field.flag("all of them"),
};

function idsOf({ ids, all }: { readonly ids?: readonly string[]; readonly all?: boolean }) {
  return all ? undefined : (ids ?? []);
}

const marked = (verb: string) =>
  value(({ ids, unread }: MarkedNotifications) =>
    ids.length === 0 ? `nothing to mark as ${verb}` : `${verb}: ${ids.join(", ")}; unread: ${unread}`,
  );

export const notifyCalls = [
  syscall({
    name: "notify.send",
    summary: "Send yourself a notification",
    class: "keyed",
    once: "answer",
    capability: "notification.create",
    input: {
      title: field.text("one line", {
        ...{ positional: true, shortest: 1, longest: LIMITS.notificationTitleCharsMax, meta: "TITLE" },
      }),
      body: field.optional(
        field.text("more text", {
          positional: true,
          longest: LIMITS.notificationBodyCharsMax,
          meta: "BODY",
          stdin: true,
        }),
      ),
      level: field.withDefault(field.choice("how important it is", LEVELS, { meta: "LEVEL" }), "info"),
      ttl: field.optional(
        field.text("time until it expires, such as 30m (default 30d)", { longest: 20, meta: "TIME" }),
      ),
      action: field.optional(
        field.text("what to do about it: 'approve ID', 'open PID' or 'retry PID'", { longest: 100, meta: "COMMAND" }),
      ),
    },
    cli: {
      examples: [
        'gsv notify send "The backup is done" --level success',
        'gsv notify send "Look at this" "The tests fail." --action "open task:k3x9ab" --ttl 2h',
      ],
      print: value(({ id }: Notification) => id),
    },
    run: ({ notifications }: Service, args, context) => notifications.send(context, args),
  }),

  syscall({
    name: "notify.list",
    summary: "List notifications, newest first",
    class: "read",
    capability: "notification.list",
    input: {
      unread: field.flag("only unread ones"),
      dismissed: field.flag("dismissed ones instead"),
      limit: field.withDefault(field.int("maximum number", { min: 1, max: 500, meta: "N" }), 100),
    },
    cli: {
      examples: ["gsv notify list", "gsv notify list --unread --json"],
      print: {
        kind: "table",
        rows: (result: NotificationList) => result.notifications,
        empty: "(no notifications)",
        columns: [
          { head: "ID", cell: (row: Notification) => row.id },
          { head: "AGE", since: "createdAt" },
          {
            ...{ head: "LEVEL", cell: (row: Notification) => row.level },
            tone: ({ level }: Notification) => TONES[level],
          },
          { head: "STATE", cell: stateText },
          { head: "TITLE", cell: titleText, shrink: true },
          { head: "BODY", cell: (row: Notification) => reveal(row.body ?? ""), below: true },
          { head: "DO", cell: (row: Notification) => row.actions.map(actionCommand).join(", "), below: true },
        ],
      },
    },
    run: ({ notifications }: Service, args, { caller }) => notifications.list(caller, args),
  }),

  // Of several terminals, only the first shows the news on the desktop.
  syscall({
    name: "notify.claim",
    summary: "Claim the desktop notice about some news",
    class: "wait",
    by: "person",
    capability: "notification.list",
    input: {
      news: field.text("what the news is about", { positional: true, shortest: 1, longest: 200, meta: "NEWS" }),
    },
    cli: {
      hidden: true,
      examples: ["gsv api notify.claim 'ask k3x9'"],
      print: value(({ first }: { first: boolean }) => (first ? "yours" : "claimed before")),
    },
    run: async ({ notifications }: Service, { news }, { caller }) => notifications.claim(caller, news),
  }),

  syscall({
    name: "notify.read",
    summary: "Mark notifications as read",
    class: "keyed",
    once: "answer",
    by: "person",
    capability: "notification.mark_read",
    input: marks,
    cli: { examples: ["gsv notify read k3x9ab", "gsv notify read --all"], print: marked("read") },
    run: ({ notifications }: Service, args, context) => notifications.read(context, idsOf(args)),
  }),

  syscall({
    name: "notify.dismiss",
    summary: "Dismiss notifications",
    class: "keyed",
    once: "answer",
    by: "person",
    capability: "notification.dismiss",
    input: marks,
    cli: { examples: ["gsv notify dismiss k3x9ab", "gsv notify dismiss --all"], print: marked("dismissed") },
    run: ({ notifications }: Service, args, context) => notifications.dismiss(context, idsOf(args)),
  }),
] as const;

function stateText({ readAt, dismissedAt }: Notification): string {
  return dismissedAt !== null ? "dismissed" : readAt !== null ? "read" : "unread";
}

function titleText({ source, title }: Notification): string {
  const sender = senderOf(source);
  return reveal(sender === null ? title : `${sender}: ${title}`);
}
