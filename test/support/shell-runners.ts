// Workers for the scripts of kernels in this process, kept when their kernel closes: loading one takes forty times as long as a short script.
// The kernel itself hands a Worker on from script to script; here the next kernel gets it. A Worker that died, or had its script
// cut off, is not used again.

import type { FromRunner, Runner } from "../../src/targets/shell.ts";
import { newShellRunner } from "../../src/workers/workers.ts";

const KEPT_MAX = 4;

/** One Worker, and its current listener. */
class Lent {
  isReady = false;
  isBusy = false;
  /** No other script may have it. */
  isSpent = false;
  hear: (message: FromRunner) => void = () => {};
  fault: (why: string) => void = () => {};

  constructor(readonly runner: Runner) {
    runner.listen(
      (message) => {
        if (message.kind === "ready") this.isReady = true;
        else if (message.kind === "end") this.isBusy = false;
        this.hear(message);
      },
      (why) => {
        this.isSpent = true;
        this.fault(why);
      },
    );
  }
}

const kept: Lent[] = [];

export function lentShellRunner(): Runner {
  const lent = takeKept() ?? new Lent(newShellRunner());
  let isOver = false;
  return {
    post(message) {
      if (isOver) return;
      if (message.kind === "run") lent.isBusy = true;
      if (message.kind === "abort") lent.isSpent = true;
      lent.runner.post(message);
    },
    listen(hear, fault) {
      Object.assign(lent, { hear, fault });
      if (lent.isReady) queueMicrotask(() => !isOver && hear({ kind: "ready" }));
    },
    end() {
      if (isOver) return;
      isOver = true;
      Object.assign(lent, { hear: () => {}, fault: () => {} });
      const isFit = lent.isReady && !lent.isBusy && !lent.isSpent;
      if (isFit && kept.length < KEPT_MAX) kept.push(lent);
      else lent.runner.end();
    },
  };
}

function takeKept(): Lent | undefined {
  let lent = kept.pop();
  while (lent?.isSpent) lent = kept.pop();
  return lent;
}
