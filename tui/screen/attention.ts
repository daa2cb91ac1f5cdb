// The title of the terminal, and a desktop notification when a request comes, a long run ends or a notification comes while the window has no
// focus. Of several terminals only one sends it, and none if one of them has the focus. The title has only gsv's own words. Of an agent's text
// only the title and text of a notification reach the desktop, cut and inert.

import type { Clock } from "../../src/lib/clock.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { TerminalSettings } from "../settings.ts";
import type { State } from "../state/state.ts";
import { type Abilities, notificationBytes } from "./abilities.ts";

export interface AttentionOptions {
  readonly write: (text: string) => void;
  readonly notifies: Abilities["notifies"];
  /** Shows a text on the desktop, if the terminal cannot; null without such a program. */
  readonly desktop: ((text: string) => void) | null;
  readonly hasTitle: boolean;
  readonly clock: Clock;
  /** Whether no other terminal has this news. */
  readonly claim: (news: string) => Promise<boolean>;
}

interface News {
  readonly id: string;
  /** News of one group that come together are one. */
  readonly group: string;
  readonly text: string;
}

/** A terminal with the focus claims the news first. */
const AWAY_MS = 200;
const LONG_RUN_MS = 10_000;

export class Attention {
  notify: TerminalSettings["notify"] = "auto";
  private focused = true;
  private title = "";
  private readonly coming = new Set<string>();

  constructor(private readonly options: AttentionOptions) {}

  focus(has: boolean): void {
    this.focused = has;
  }

  look(before: State, after: State, now: number): void {
    const { write, hasTitle } = this.options;
    const title = titleOf(after);
    if (hasTitle && title !== this.title) write(`\x1b]2;${title}\x1b\\`);
    this.title = title;
    const news = newsIn(before, after, now);
    if (news === null || this.coming.has(news.group)) return;
    this.coming.add(news.group);
    this.options.clock.after(this.focused ? 0 : AWAY_MS, () => void this.announce(news));
  }

  private async announce({ id, group, text }: News): Promise<void> {
    const { write, notifies, desktop, claim } = this.options;
    this.coming.delete(group);
    const isFirst = await claim(id);
    if (!isFirst || this.focused || this.notify === "off") return;
    if (this.notify === "bell") write(notificationBytes("bell", text));
    else if (desktop !== null && (notifies === "bell" || this.notify === "desktop")) desktop(text);
    else write(notificationBytes(notifies, text));
  }

  /** Another program had the terminal and may have changed its title. */
  forget(): void {
    this.title = "";
  }
}

function titleOf({ process: { pid, state }, asking, chat, who: { remote = null } }: State): string {
  const name = remote === null ? `gsv ${pid}` : `gsv@${reveal(remote)} ${pid}`;
  if (asking.asks.length > 0) return `? ${name}: waits for you`;
  if (state === "paused" || state === "stopped") return `${name}: ${state}`;
  return chat.run === null ? name : `${name}: working`;
}

function newsIn(before: State, after: State, now: number): News | null {
  const { latest } = after.news;
  // A semicolon would begin another field of the sequence.
  if (latest !== null && latest !== before.news.latest)
    return { id: `news ${latest.id}`, group: latest.id, text: latest.text.replaceAll(";", ",") };
  const fresh = after.asking.asks.find(({ id }) => !before.asking.asks.some((ask) => ask.id === id));
  if (fresh !== undefined)
    return { id: `ask ${fresh.id}`, group: `ask ${fresh.pid}`, text: `${fresh.pid} waits for your answer` };
  const { run } = before.chat;
  const { pid, state } = after.process;
  if (run === null || after.chat.run !== null || before.process.pid !== pid || now - run.since < LONG_RUN_MS)
    return null;
  const id = `end ${run.runId}`;
  return { id, group: id, text: state === "paused" ? `${pid} is paused` : `${pid} is done` };
}
