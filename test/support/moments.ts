// Moments of gsv at a terminal, each reached with keys and recognised on the screen, for claims about events at any of them.

import type { TestHome } from "./home.ts";
import type { Session } from "./session.ts";
import { sleeping } from "./shell-below.ts";

export interface Place {
  readonly home: TestHome;
  readonly session: Session;
  /** Starts gsv in the shell of the session, without waiting. */
  readonly start: () => void;
  /** Unique in this run. */
  readonly nth: number;
}

/** The effect of INT: ends a starting gsv, acts as ctrl-c on the line, the answer or the view, or goes to the running program. */
export type Meaning = "ends" | "notices" | "clears" | "aborts" | "closes" | "program";
/** The current user of the terminal: a program with the usual modes, or an editor with its own. */
export type Other = "program" | "editor";

export interface Moment {
  readonly name: string;
  readonly begin: (place: Place) => Promise<unknown>;
  readonly int: Meaning;
  /** On the screen then, and again after a suspend. */
  readonly shows?: RegExp;
  /** The message that was sent by then. */
  readonly asked?: (nth: number) => string;
  readonly other?: Other;
}

export const READY = /^~ {2}init:1000/m;
const IGNORED_MS = 500;
const TALE_WORDS = 60;
export const TALE_END = "the end of it";
export const SCRIPT = [
  {
    when: "tale",
    text: `${Array.from({ length: TALE_WORDS }, (_, word) => `w${word}of{{last}}`).join(" ")} ${TALE_END}`,
    ...{ chunk: 12, chunkDelayMs: 15, repeat: 1000 },
  },
  { when: "wait", delayMs: 1500, text: `at last, ${TALE_END}`, repeat: 1000 },
  {
    when: "remember",
    text: "I write it down.",
    calls: [{ name: "Write", args: { path: "~/context.d/told.md", content: "told" } }],
  },
  { when: "remember", text: `Done, ${TALE_END}` },
  { text: `yes, ${TALE_END}`, repeat: 1000 },
];

/** Has its own modes until it has read a line, and restores the terminal when it is ended. */
export const EDITOR = [
  "#!/bin/sh",
  "was=$(stty -g)",
  "back() { stty \"$was\"; printf '\\033[?1049l'; }",
  "trap 'back; exit 1' TERM HUP INT",
  "stty -echo",
  "printf '\\033[?1049hediting'",
  "until read -r line; do :; done",
  'echo "$line" > "$1"',
  "back",
].join("\n");

async function ready({ session, start }: Place): Promise<void> {
  start();
  await session.until(READY);
}

/** Types once gsv is ready, and waits for the screen. */
function typing(keys: string, shows: RegExp): (place: Place) => Promise<void> {
  return async (place) => {
    await ready(place);
    place.session.type(keys);
    await place.session.until(shows);
  };
}

const tale = (nth: number) => `tale${nth}`;

/** Waits until an answer has so many words. */
function atWord(word: number): Moment {
  return {
    name: `at word ${word} of an answer`,
    int: "aborts",
    shows: READY,
    asked: tale,
    begin: async (place) => {
      await ready(place);
      place.session.type(`, ${tale(place.nth)}\r`);
      await place.session.until(new RegExp(`w${word}oftale${place.nth}\\b`));
    },
  };
}

export const MOMENTS: readonly Moment[] = [
  {
    name: "before anything is painted",
    int: "ends",
    begin: async (place) => {
      place.start();
    },
  },
  {
    name: "as the first prompt is painted",
    int: "ends",
    begin: async ({ session, start }) => {
      start();
      await session.until(() => session.reads.join("").includes("›"));
    },
  },
  {
    name: "as the keys are taken",
    int: "ends",
    begin: async ({ session, start }) => {
      start();
      await session.until(() => !session.takesLines);
    },
  },
  {
    name: "while the kernel is being started",
    int: "ends",
    begin: async ({ home, session, start }) => {
      await home.stop();
      start();
      await session.until(() => !session.takesLines);
    },
  },
  { name: "at the prompt", int: "notices", shows: /^›$/m, begin: ready },
  {
    name: "while a line is typed",
    int: "clears",
    shows: /^› a half of$/m,
    begin: typing(", \x7f\x7fa half of", /^› a half of$/m),
  },
  {
    name: "while two lines are typed",
    int: "clears",
    shows: /^› one\n {2}and two$/m,
    begin: typing("one\x1b\rand two", /^› one\n {2}and two$/m),
  },
  { name: "while a list of commands is open", int: "clears", begin: typing("/h\t", /help/), shows: /^. \/h/m },
  { name: "in the search", int: "closes", begin: typing("\x12", /^history:/m), shows: /^history:/m },
  {
    name: "in the list of processes",
    int: "closes",
    begin: typing("\x10", /init:1000 +S /),
    shows: /init:1000 +S /,
  },
  {
    name: "while the keys are shown",
    int: "closes",
    begin: typing("?", /ctrl-d +leave/),
    shows: /ctrl-d +leave/,
  },
  {
    name: "before the first word of an answer",
    int: "aborts",
    shows: READY,
    asked: (nth) => `wait${nth}`,
    begin: async (place) => {
      await ready(place);
      place.session.type(`, wait${place.nth}\r`);
      await place.session.until(/thinking/);
    },
  },
  atWord(0),
  atWord(7),
  atWord(25),
  atWord(45),
  {
    name: "while an answer is written and a line is typed",
    int: "clears",
    shows: /^› and more$/m,
    asked: tale,
    begin: async (place) => {
      await atWord(3).begin(place);
      place.session.type("and more");
      await place.session.until(/^› and more$/m);
    },
  },
  {
    name: "while an approval is pending",
    int: "aborts",
    shows: /wants to write/,
    asked: (nth) => `remember${nth}`,
    begin: async (place) => {
      await ready(place);
      place.session.type(`, remember${place.nth}\r`);
      await place.session.until(/wants to write/);
    },
  },
  {
    name: "while an approval is edited",
    int: "program",
    other: "editor",
    asked: (nth) => `remember${nth}`,
    begin: async (place) => {
      const { session, nth } = place;
      await ready(place);
      session.type(`, remember${nth}\r`);
      await session.until(/wants to write/);
      // A card ignores first keys.
      await Bun.sleep(IGNORED_MS);
      session.type("e");
      await session.until(/^editing/m);
    },
  },
  { name: "while the line is in an editor", int: "program", other: "editor", begin: typing("x\x07", /^editing/m) },
  { name: "in top", int: "closes", begin: typing("\x14", /^PID/m), shows: /^PID/m },
  {
    name: "in strace",
    int: "closes",
    begin: typing("/strace\r", /no calls yet/),
    shows: /no calls yet/,
  },
  {
    name: "in the pager",
    int: "closes",
    shows: /q close/,
    begin: async (place) => {
      await ready(place);
      place.session.type("man terminal\r");
      await place.session.until(() => place.session.emulator.buffer.active.type === "alternate");
    },
  },
  {
    name: "while a command of this computer runs",
    int: "program",
    other: "program",
    begin: async (place) => {
      await ready(place);
      place.session.type(`! echo begun; ${sleeping(place.nth)}\r`);
      await place.session.until(/^begun/m);
    },
  },
  {
    name: "while a line of the shell runs",
    int: "program",
    other: "program",
    begin: typing("echo begun; sleep 1000\r", /^begun/m),
  },
  {
    name: "while a command waits for the kernel",
    int: "program",
    other: "program",
    asked: (nth) => `wait${nth}`,
    begin: async (place) => {
      const { session, nth } = place;
      await ready(place);
      session.type(`, wait${nth}\r`);
      await session.until(/thinking/);
      session.type("wait init:1000\r");
      await session.until((text) => session.takesLines && !READY.test(text));
    },
  },
  {
    name: "while a log is followed",
    int: "program",
    other: "program",
    begin: async (place) => {
      await ready(place);
      place.session.type("logs -f\r");
      await place.session.until((text) => place.session.takesLines && !READY.test(text));
    },
  },
  {
    name: "while the terminal gets another size",
    int: "clears",
    shows: /^› a half of$/m,
    begin: async (place) => {
      await typing("a half of", /^› a half of$/m)(place);
      for (const columns of [61, 83, 100]) place.session.resize(columns, 30);
    },
  },
  {
    name: "while the kernel is restarted",
    int: "clears",
    shows: /^› a half of$/m,
    begin: async (place) => {
      await typing("a half of", /^› a half of$/m)(place);
      await place.home.kill();
    },
  },
  {
    name: "on the way out",
    int: "ends",
    asked: (nth) => `farewell${nth}`,
    begin: async (place) => {
      await ready(place);
      // In one write, so the last key is read with the first.
      place.session.type(`, farewell${place.nth}\r\x04`);
      await place.session.until(new RegExp(`farewell${place.nth}`));
    },
  },
];
