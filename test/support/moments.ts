// Moments in the life of gsv at a terminal, each reached by what a person does and known by what is to be seen, for claims about what may
// happen at any of them.

import type { TestHome } from "./home.ts";
import type { Session } from "./session.ts";
import { sleeping } from "./shell-below.ts";

export interface Place {
  readonly home: TestHome;
  readonly session: Session;
  /** Starts gsv in the shell of the session, and does not wait for anything. */
  readonly start: () => void;
  /** A number that no other moment of this run has. */
  readonly nth: number;
}

/** What INT does there: ends gsv that nobody uses yet, does what ctrl-c does to the line, the answer or the view, or is the program's that runs. */
export type Meaning = "ends" | "notices" | "clears" | "aborts" | "closes" | "program";
/** Whoever else has the terminal: it reads lines as they are found, or has its own way with it. */
export type Other = "program" | "editor";

export interface Moment {
  readonly name: string;
  readonly begin: (place: Place) => Promise<unknown>;
  readonly int: Meaning;
  /** What is to be seen then, and again once gsv was put aside and goes on. */
  readonly shows?: RegExp;
  /** What was asked of the agent by then. */
  readonly asked?: (nth: number) => string;
  readonly other?: Other;
}

export const READY = /^~ {2}init:1000/m;
const DEAF_MS = 500;
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

/** Has the terminal its own way until it has read a line, and gives it back when it is ended. */
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

/** Typed once gsv takes keys, until something is to be seen. */
function typing(keys: string, shows: RegExp): (place: Place) => Promise<void> {
  return async (place) => {
    await ready(place);
    place.session.type(keys);
    await place.session.until(shows);
  };
}

const tale = (nth: number) => `tale${nth}`;

/** While so many words of an answer have been said. */
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
    name: "while processes are chosen from",
    int: "closes",
    begin: typing("\x10", /init:1000 +S /),
    shows: /init:1000 +S /,
  },
  {
    name: "while the keys are told",
    int: "closes",
    begin: typing("?", /leave; agents go on/),
    shows: /leave; agents go on/,
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
    name: "while an approval is asked for",
    int: "aborts",
    shows: /wants Write/,
    asked: (nth) => `remember${nth}`,
    begin: async (place) => {
      await ready(place);
      place.session.type(`, remember${place.nth}\r`);
      await place.session.until(/wants Write/);
    },
  },
  {
    name: "while what is to be approved is in an editor",
    int: "program",
    other: "editor",
    asked: (nth) => `remember${nth}`,
    begin: async (place) => {
      const { session, nth } = place;
      await ready(place);
      session.type(`, remember${nth}\r`);
      await session.until(/wants Write/);
      // Keys of the first moments of a card are for the line.
      await Bun.sleep(DEAF_MS);
      session.type("e");
      await session.until(/^editing/m);
    },
  },
  { name: "while the line is in an editor", int: "program", other: "editor", begin: typing("x\x07", /^editing/m) },
  { name: "in top", int: "closes", begin: typing("\x14", /^PID/m), shows: /^PID/m },
  {
    name: "while calls are followed",
    int: "closes",
    begin: typing("/strace\r", /no calls yet/),
    shows: /no calls yet/,
  },
  {
    name: "while a text is read",
    int: "closes",
    shows: /q leave/,
    begin: async (place) => {
      await ready(place);
      place.session.type("help\r");
      await place.session.until(() => place.session.emulator.buffer.active.type === "alternate");
    },
  },
  {
    name: "while a command of this machine runs",
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
      // In one piece: the last key was read when there is anything of the first.
      place.session.type(`, farewell${place.nth}\r\x04`);
      await place.session.until(new RegExp(`farewell${place.nth}`));
    },
  },
];
