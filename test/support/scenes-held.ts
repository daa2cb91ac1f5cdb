// Scenes of paused processes, of ends elsewhere, and of lists and views. An outage or a used-up budget is played as the kernel signals it.

import { said } from "./chat.ts";
import { asked, held, type Scene } from "./scene-steps.ts";
import { CALLS, family, MINUTE, NOW, PROCESSES } from "./scene-talk.ts";

export const HELD: readonly Scene[] = [
  {
    name: "outage",
    play: held({
      kind: "outage",
      reason: "anthropic is overloaded (529)",
      model: "anthropic/fable-5",
      class: "outage",
      until: NOW + 4 * MINUTE,
    }),
  },
  {
    name: "asked-again",
    play: held(
      {
        kind: "model",
        reason: "the connection broke",
        model: "anthropic/fable-5",
        class: "network",
        until: NOW + 9000,
        attempt: { next: 3, of: 15 },
      },
      "running",
    ),
  },
  { name: "over-budget", play: held({ kind: "limit", reason: "$5.00 of $5.00 used today" }) },
  {
    name: "no-credential",
    play: held({
      kind: "credential",
      provider: "anthropic",
      reason: "anthropic refused the key (401). Another: gsv auth provider anthropic",
    }),
  },
  { name: "stopped", play: held({ kind: "person", reason: "by sam" }, "stopped") },
  {
    name: "compacted",
    play: async (played) => {
      await asked(played);
      const compacted = {
        segment: 3,
        fromSeq: 1,
        toSeq: 90,
        seq: 91,
        tokensBefore: 41_203,
        tokensAfter: 18_900,
        model: "fable-5",
        cause: "threshold",
      };
      await played.play({ ...said.start(), name: "chat.compacted", ...compacted } as never);
    },
  },
  {
    name: "failed",
    play: async (played) => {
      await asked(played);
      await played.play(
        said.complete("error", null, {
          error: "openai refused the request (400): messages: must not be empty",
        }),
      );
    },
  },
  {
    name: "aborted",
    play: async (played) => {
      await asked(played);
      await played.play(said.delta("I can raise the lim"), said.complete("aborted"));
    },
  },
  { name: "done-elsewhere", play: (played) => played.play(said.complete("ok", null, { pid: "task:k3a7b1" })) },
  {
    name: "jobs",
    options: {
      prepare: (io) => {
        family(io);
        io.fakeSys.answer("proc.spawn", () => PROCESSES[1]);
      },
    },
    play: async (played) => {
      await played.type(", audit the docs &\r");
      await played.until(/^\[1\]/m);
      await played.type("jobs\r");
      await played.until(/^\[1\]\+/m);
    },
  },
  { name: "keys", play: (played) => played.type("?") },
  {
    name: "history-search",
    options: { history: ["ls ~/notes", "spawn --label docs", ", why is the sky blue?"] },
    play: (played) => played.type("\x12s"),
  },
  {
    name: "ghost",
    options: { history: ["spawn --label docs --prompt audit"] },
    play: (played) => played.type("spawn --l"),
  },
  {
    name: "menu",
    play: async (played) => {
      await played.type("/co\t");
      await played.until(/codemode/);
    },
  },
  {
    name: "top",
    options: { prepare: family },
    play: async (played) => {
      await played.type("\x14");
      await played.until(/^PID/m);
    },
  },
  {
    name: "top-filter",
    options: { prepare: family },
    play: async (played) => {
      await played.type("\x14");
      await played.until(/^PID/m);
      await played.type("/docs");
    },
  },
  {
    name: "switcher",
    options: { prepare: family },
    play: async (played) => {
      await played.type("\x10");
      await played.until(/task:k3a7b1/);
    },
  },
  {
    name: "strace",
    options: {
      prepare: ({ fakeSys }) => {
        fakeSys.answer("proc.trace", ({ after = 0 }: { after?: number }) =>
          after >= CALLS.length ? new Promise(() => {}) : { rows: CALLS },
        );
      },
    },
    play: async (played) => {
      await played.type("/strace\r");
      await played.until(/net\.fetch/);
    },
  },
  {
    name: "pager",
    play: async (played) => {
      await asked(played);
      const output = Array.from({ length: 200 }, (_, row) => `${row + 1}\tone row of the output`).join("\n");
      await played.play(said.call("Read", { path: "~/long.txt" }), said.result(true, output), said.complete("ok"));
      await played.type("\x0f");
      await played.until(/one row of the output/);
    },
  },
];
