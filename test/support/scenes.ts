// Every view and state of the terminal, each as the keys and signals that lead to it: the line, answers, tools, cards. The kernel is played.

import { PID, said } from "./chat.ts";
import { asked, type Scene, toolResult } from "./scene-steps.ts";
import { ANSWER, COMMAND, EDIT, FAILED, INSTALL, PLAN, QUESTION, TESTS } from "./scene-talk.ts";
import { HELD } from "./scenes-held.ts";
import { START } from "./scenes-start.ts";

export const SCENES: readonly Scene[] = [
  ...START,
  { name: "first-start", play: async () => {} },
  { name: "shell-line", play: (played) => played.type('ls -la ~/notes | grep "todo" && echo $HOME') },
  {
    name: "line-of-many",
    play: (played) =>
      played.type(
        ", first\x1b\rsecond line, which goes on for longer than the narrowest of the terminals has room\x1b\rthird 中文 👩‍👩‍👧",
      ),
  },
  {
    name: "paste",
    play: (played) => played.type(`look at \x1b[200~${"one row of the log\n".repeat(500)}\x1b[201~ please`),
  },
  { name: "thinking", play: (played) => asked(played) },
  {
    name: "writing",
    play: async (played) => {
      await asked(played);
      await played.play(
        said.delta(`${ANSWER}I can raise the limit and turn extraction on. The next reset would then le`),
      );
    },
  },
  {
    name: "answered",
    play: async (played) => {
      await asked(played);
      await played.play(
        said.text(ANSWER),
        said.complete("ok", null, {
          usage: { input: 41_203, output: 214, cacheRead: 39_000, cacheWrite: 0, costUsd: 0.021 },
        }),
      );
    },
  },
  {
    name: "tool",
    play: async (played) => {
      await asked(played);
      await played.play(said.text("I look at both."), said.call("Read", { path: "/etc/gsv/config.toml" }));
      await played.play(
        said.result(true, "line\n".repeat(31)),
        said.call("Shell", { command: "grep -r keepRecent ~/knowledge" }),
      );
      await played.settle(4000);
    },
  },
  {
    name: "tool-failed",
    play: async (played) => {
      await asked(played);
      await played.play(
        said.call("Shell", { command: "bun test docs" }),
        toolResult("Shell", false, "docs/links.test.ts: 1 of 48 failed\nexit 1"),
      );
    },
  },
  {
    name: "queued",
    play: async (played) => {
      await asked(played);
      await played.play(said.delta("I can raise the limit and "));
      await played.type(", then show me the diff\r");
      await played.type(", also check the reset policy");
    },
  },
  {
    name: "approval",
    play: async (played) => {
      await asked(played, ", raise the limit");
      await played.play(said.hil(EDIT));
    },
  },
  {
    name: "approval-half-typed",
    play: async (played) => {
      await asked(played, ", raise the limit");
      await played.type("and then");
      await played.play(said.hil(EDIT));
    },
  },
  {
    name: "approvals",
    play: async (played) => {
      await asked(played, ", raise the limit");
      await played.play(said.hil(COMMAND), said.hil(EDIT));
    },
  },
  {
    name: "approval-host",
    play: async (played) => {
      await asked(played, ", install it");
      const about = { ...COMMAND.about, dangers: ["runs code from the network"], grants: ["network" as const] };
      await played.play(said.hil({ ...COMMAND, pid: PID, about }));
    },
  },
  {
    name: "approvals-alike",
    play: async (played) => {
      await asked(played, ", run the tests of each package");
      await played.play(said.hil(TESTS), said.hil({ ...COMMAND }));
      for (const [at, name] of ["store", "terminal"].entries())
        await played.play(
          said.hil({
            ...TESTS,
            id: `t5r${at}`,
            pid: `task:k3a7b${at}`,
            args: { ...TESTS.args, command: `npm test -- ${name}` },
          }),
        );
      await played.settle(450);
    },
  },
  {
    name: "plan",
    play: async (played) => {
      await played.play({ ...said.start(), name: "process.mode", mode: "plan" } as never);
      await asked(played, ", how would you add a cache?");
      await played.play(said.hil(PLAN));
    },
  },
  {
    name: "approval-more",
    play: async (played) => {
      await asked(played, ", install lodash");
      await played.play(said.hil(INSTALL));
      await played.settle(450);
      await played.type("a");
      await played.settle(450);
    },
  },
  {
    name: "approval-again",
    play: async (played) => {
      await asked(played, ", run the tests");
      await played.play(said.hil(FAILED));
    },
  },
  {
    name: "question",
    play: async (played) => {
      await asked(played, ", rebuild the sites");
      await played.play(said.hil(QUESTION));
    },
  },
  {
    name: "approved",
    play: async (played) => {
      await asked(played, ", raise the limit");
      await played.play(
        said.hil(EDIT),
        { ...said.closed(), by: "root" } as never,
        said.call("Edit", EDIT.args),
        said.result(true, ""),
      );
    },
  },
  ...HELD,
];
