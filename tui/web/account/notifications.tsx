// Notifications of the account, newest first: they stay until they are dismissed.

import { useState } from "react";
import { ageText } from "../../../commands/io/table-layout.ts";
import {
  actionCommand,
  type Level,
  type Notification,
  type NotificationAction,
  senderOf,
} from "../../../src/abi/notification.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import type { NotificationList } from "../../../src/syscalls/due/notify-service.ts";
import { shownText } from "../files/file-text.ts";
import { hashOf } from "../route.ts";
import { keyOf } from "../views/key-of.ts";
import { Keys } from "../views/keys.tsx";
import { useKeys } from "../views/use-keys.ts";
import type { ViewProps } from "../views/view-props.ts";
import { chosenOf } from "./chosen.ts";
import { List, type ListColumn } from "./list.tsx";
import { useReading } from "./use-reading.ts";

const LIST_MS = 30_000;
const TONES: { readonly [L in Level]: string | undefined } = {
  ...{ info: undefined, success: "ok", warning: "needs", error: "bad" },
};

const idOf = ({ id }: Notification) => id;

export function Notifications({ gsv, state: { notice, news } }: ViewProps) {
  const [id, choose] = useState<string | null>(null);
  const { value, failure, again } = useReading(gsv.clock, () => gsv.call<NotificationList>("notify.list", {}), {
    ...{ about: String(news.revision), everyMs: LIST_MS },
  });
  const all = value?.notifications ?? [];
  const unread = value?.unread ?? 0;
  const chosen = chosenOf(all, idOf, id);
  const mark = async (call: "notify.read" | "notify.dismiss", args: object) => {
    await gsv.tried("Not changed", () => gsv.call(call, args));
    await again();
  };
  const read = () => chosen !== null && void mark("notify.read", { ids: [chosen.id] });
  const dismiss = () => {
    if (chosen === null) return;
    const at = all.indexOf(chosen);
    choose((all[at + 1] ?? all[at - 1])?.id ?? null);
    void mark("notify.dismiss", { ids: [chosen.id] });
  };
  useKeys((event, isInField) => {
    const key = keyOf(event);
    if (key === null || key.ctrl || key.alt || isInField || chosen === null) return false;
    if (key.text === "r") read();
    else if (key.text === "x") dismiss();
    else if (key.text === "a") void mark("notify.read", { all: true });
    else return false;
    return true;
  });
  const now = gsv.clock.now();
  const columns: readonly ListColumn<Notification>[] = [
    { head: "Title", className: "wide", cell: (row) => <Title row={row} /> },
    { head: "Level", className: "m2", cell: ({ level }) => <span className={TONES[level]}>{level}</span> },
    { head: "State", cell: ({ readAt }) => (readAt === null ? "unread" : <span className="dim">read</span>) },
    { head: "Age", className: "right", cell: ({ createdAt }) => ageText(createdAt, now) },
  ];
  return (
    <main className="account">
      <h1 className="summary">
        {all.length === 0 ? "No notifications" : unread === 0 ? "All read" : `${unread} unread`}
      </h1>
      {chosen !== null && (
        <>
          <List label="Notifications" {...{ columns, choose }} rows={all} keyOf={idOf} chosen={chosen.id} />
          <section className="detail" aria-label="Chosen notification">
            <h2 className={TONES[chosen.level]}>{titleOf(chosen)}</h2>
            {chosen.body !== null && <p className="body">{shownText(chosen.body)}</p>}
            {chosen.actions.map((action) => (
              <p key={action.command}>
                <Action action={action} />
              </p>
            ))}
            <div className="buttons">
              <button type="button" disabled={chosen.readAt !== null} onClick={read}>
                Mark as read
              </button>
              <button type="button" onClick={dismiss}>
                Dismiss
              </button>
              <button type="button" disabled={unread === 0} onClick={() => void mark("notify.read", { all: true })}>
                Mark all as read
              </button>
            </div>
          </section>
        </>
      )}
      <p className="notice" role="status">
        {failure === "" ? notice : failure}
      </p>
      <Keys
        keys={[
          ["↑↓", "choose"],
          ["r", "mark as read"],
          ["x", "dismiss"],
          ["a", "mark all as read"],
        ]}
      />
    </main>
  );
}

function titleOf({ source, title }: Notification): string {
  const sender = senderOf(source);
  return reveal(sender === null ? title : `${sender}: ${title}`);
}

function Title({ row }: { readonly row: Notification }) {
  const title = titleOf(row);
  return row.readAt === null ? <b>{title}</b> : title;
}

function Action({ action }: { readonly action: NotificationAction }) {
  const { command, on } = action;
  if (command === "open") return <a href={hashOf({ view: "talk", pid: on })}>Open {reveal(on)}</a>;
  if (command === "approve") return <a href={hashOf({ view: "waiting" })}>Answer {reveal(on)}</a>;
  return <code>{reveal(actionCommand(action))}</code>;
}
