// Notifications in the terminal: a line, a count, and the desktop while the window has no focus.

import { describe, expect, test } from "bun:test";
import type { NotificationSource } from "../../src/abi/notification.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import { Attention } from "../../tui/screen/attention.ts";
import { StatusRow } from "../../tui/screen/status.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import type { Reduced } from "../../tui/state/effect.ts";
import { onNews } from "../../tui/state/news.ts";
import { onSignal } from "../../tui/state/reduce-signals.ts";
import { initialState, type State, set } from "../../tui/state/state.ts";
import { FakeClock } from "../support/clock.ts";

const who = { username: "sam", uid: 1000, home: "/home/sam" };
const START = initialState({ who, pid: "init:1000" });

function created(source: NotificationSource | null, more: object = {}): SignalOf<"notification.created"> {
  const pid = source !== null && "pid" in source && source.pid !== undefined ? source.pid : "init:1000";
  return {
    ...{ name: "notification.created", pid, uid: 1000, parent: null, at: 0, ids: ["a1"], title: "news", body: null },
    ...{ level: "info", source, actions: [], unread: 1, ...more },
  };
}

const lines = ({ effects }: Reduced) =>
  effects.flatMap((effect) => (effect.do === "print" && effect.entry.kind === "note" ? [effect.entry.text] : []));
const away = (state: State) => set(state, "news", { isFocused: false });

describe("a notification", () => {
  test("is one line, and counted until it is read", () => {
    const got = onSignal(START, created({ kind: "account", name: "sam" }, { body: "one\ntwo" }), 0);
    expect([lines(got), got.state.news.unread]).toEqual([["news · one"], 1]);
    const row = (state: State) => new StatusRow().draw(state, 100, themeOf({ colour: false, unicode: true }));
    expect(row(got.state)).toContain("1 unread");
    const updated = { ...created(null), name: "notification.updated" as const, unread: 0 };
    expect(row(onSignal(got.state, updated, 0).state)).not.toContain("unread");
  });

  test("of an agent begins with its pid, and its text is inert and cut", () => {
    const source = { kind: "process", pid: "task:abc123" } as const;
    const [line = ""] = lines(onNews(START, created(source, { title: "a\x1b]0;x\x07b", body: "long ".repeat(90) })));
    expect(line).toStartWith("task:abc123: ");
    expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    expect(line.length).toBeLessThanOrEqual(200);
  });

  test("about the attached process is on the screen already: it is marked as read", () => {
    const got = onNews(START, created({ kind: "run", pid: "init:1000" }));
    expect([got.effects, got.state.news]).toEqual([
      [{ do: "read-news", ids: ["a1"] }],
      { unread: 0, isFocused: true, isCut: false, isSignedOut: false, latest: null },
    ]);
    const other = onNews(START, created({ kind: "run", pid: "task:abc123" }, { title: "task:abc123 is done" }));
    expect([lines(other), other.state.news.unread]).toEqual([["task:abc123 is done"], 1]);
  });

  test("about the attached process stays unread while the person looks at another window", () => {
    const got = onNews(away(START), created({ kind: "run", pid: "init:1000" }));
    expect([got.effects, got.state.news.unread]).toEqual([[], 1]);
  });

  test("of a failed schedule has no second line", () => {
    const got = onNews(START, created({ kind: "schedule", schedule: "nightly" }));
    expect([lines(got), got.state.news.unread]).toEqual([[], 1]);
  });
});

describe("the desktop", () => {
  /** What terminals of one home write, with and without the focus. */
  const writtenBy = async (focuses: readonly boolean[], source: NotificationSource, title: string) => {
    const writes: string[] = [];
    const claims = new Set<string>();
    const clock = new FakeClock();
    const claim = async (news: string) => claims.size < claims.add(news).size;
    for (const isFocused of focuses) {
      const write = (text: string) => void writes.push(text);
      const attention = new Attention({ write, notifies: "777", desktop: null, hasTitle: false, clock, claim });
      attention.focus(isFocused);
      attention.look(START, onNews(isFocused ? START : away(START), created(source, { title })).state, 0);
    }
    await clock.advance(1000);
    return writes;
  };
  const written = (isFocused: boolean, source: NotificationSource, title: string) =>
    writtenBy([isFocused], source, title);

  test("gets it from one terminal only, and from none if one has the focus", async () => {
    const source = { kind: "process", pid: "task:abc123" } as const;
    expect(await writtenBy([false, false, false], source, "hello")).toHaveLength(1);
    expect(await writtenBy([false, true, false], source, "hello")).toEqual([]);
  });

  test("gets it only while the window has no focus, without control characters and extra fields", async () => {
    const source = { kind: "process", pid: "task:abc123" } as const;
    expect(await written(true, source, "hello")).toEqual([]);
    expect(await written(false, source, "a;b\x1b]9;c")).toHaveLength(1);
    const [bytes = ""] = await written(false, source, "a;b\x07\x1b]9;evil\x07c");
    expect(bytes).toMatch(/^\x1b\]777;notify;gsv;task:abc123: a,b[^\x00-\x1f\x7f-\x9f;]*\x1b\\$/);
  });

  test("is not told twice of the attached process's end", async () => {
    expect(await written(false, { kind: "run", pid: "init:1000" }, "init:1000 is done")).toEqual([]);
  });
});
