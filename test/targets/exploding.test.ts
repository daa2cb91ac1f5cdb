// Scripts that spin or grow without end, on a kernel of their own: a limit or a timeout ends each, with a message about
// which, and the kernel keeps answering another client.

import { expect, test } from "bun:test";
import type { Sys } from "../../src/abi/sys.ts";
import type { ShellAnswer, ShellOutput } from "../../src/syscalls/run/shell-service.ts";
import { withHome } from "../support/home.ts";
import { drawn, SEED, samples } from "../support/soak.ts";

/** The longest time for an answer to another client; a kernel that a script blocks does not answer at all. */
const ANSWER_MS = 5000;
const PAUSE_MS = 10;
const WALL_MS = samples(350, 600);

const TIME = { status: 124, says: "time limit reached" };

/** Each ends with this status and message, or on a slow computer by its timeout. */
const SCRIPTS: { readonly [script: string]: { readonly status: number; readonly says: string } } = {
  "while :; do :; done": TIME,
  "until false; do x=1; done": TIME,
  "for ((;;)); do ((i++)); done": TIME,
  ":(){ :|:& };:": { status: 0, says: "" },
  "f() { f & f & wait; }; f": { status: 0, says: "Resource temporarily unavailable" },
  "while :; do sleep 100 & done": TIME,
  "(while :; do :; done) & (while :; do :; done) & wait": TIME,
  "f() { f; }; f": { status: 126, says: "f: nested too deep; the limit is 1000" },
  "f() { echo $(f); }; f": { status: 126, says: "nested too deep" },
  "echo {1..100000000} > /dev/null; exit 1": { status: 126, says: "more than 1000000 words" },
  "echo a{1..100000000}b": { status: 1, says: "more than 10000 words" },
  "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}": {
    status: 126,
    says: "brace expansion makes more words than allowed; the limit is 100000",
  },
  "x=a; while :; do x=$x$x; done": { status: 126, says: "a text grew too long; the limit is 64.0 MiB" },
  "printf 'a%.0s' {1..60} > f; grep -E '^(a+)+b$' f": { status: 1, says: "" },
  "printf 'a%.0s' {1..5000} | sed -E 's/(a*)*b/x/' > /dev/null": { status: 0, says: "" },
  "awk 'BEGIN { while (1) n++ }'": TIME,
  "awk 'BEGIN { while (1) a[n++] = n }'": TIME,
  "awk 'BEGIN { while (1) s = s \"0123456789\" s }'": { status: 2, says: "grows too long" },
  "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! | awk '/^(a+)+$/'": { status: 0, says: "" },
  "[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! =~ ^(a+)+$ ]]; exit 0": { status: 0, says: "" },
  "x=aaaa; while :; do x=${x//a/aaaaaaaa}; done": { status: 126, says: "the limit is 64.0 MiB" },
  "cat /dev/zero | wc -c; cat /dev/zero /dev/zero": { status: 153, says: "endless device" },
  "printf '%1000000000d' 1": { status: 126, says: "printf: the field is too wide; the limit is 64.0 MiB" },
  "while :; do cat <<E\nx\nE\ndone > /dev/null": TIME,
  "yes | while read -r x; do :; done; while :; do yes > /dev/null; done": TIME,
  "seq 1000000000 > /dev/null": { status: 153, says: "too much output; the limit is" },
  "eval \"$(printf 'echo $(%.0s' {1..500}; printf ')%.0s' {1..500})\"": { status: 1, says: "nested too deep" },
  "yes 'sixty-four bytes of output, over and over until it is too much' > f; for i in {1..10000}; do cat f; done": {
    status: 153,
    says: "too much output; the limit is",
  },
  "printf '\\0\\377%.0s' {1..5000} > f; while :; do cat f f f f > g; done": TIME,
  "while :; do cat <<< $(seq 20000) > /dev/null; done": TIME,
  "i=0; while :; do : > f$((i++)); done": TIME,
};

async function run(sys: Sys, script: string, at: number): Promise<{ status: number; stderr: string }> {
  const id = `0198a000-0000-7000-8000-${String(at).padStart(12, "0")}`;
  const answer = await sys.call<ShellAnswer>("shell.run", {
    id,
    script,
    timeoutMs: script.includes("cat f;") ? 60_000 : WALL_MS,
  });
  let stderr = "";
  const take = ({ pieces }: ShellOutput) => {
    for (const { stream, bytes } of pieces) if (stream === "stderr") stderr += Buffer.from(bytes, "base64").toString();
  };
  take(answer.output);
  for (let { next, ended } = answer.output; !ended; ) {
    const page = await sys.call<ShellOutput>("shell.output", { id, from: next, waitMs: 0 });
    take(page);
    ({ next, ended } = page);
  }
  return { status: answer.exit ?? -1, stderr };
}

/** Calls until stopped; returns the number of answers. */
async function asking(sys: Sys, over: { now: boolean }): Promise<number> {
  for (let answers = 0; ; answers++) {
    if (over.now && answers > 0) return answers;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`the kernel did not answer in ${ANSWER_MS} ms`)), ANSWER_MS);
    await Promise.race([sys.call("system.status", {}), late.promise]).finally(() => clearTimeout(timer));
    // Calls without a pause would take the core that the script needs.
    await Bun.sleep(PAUSE_MS);
  }
}

test("thirty scripts that spin or grow end with a message, and the kernel answers others meanwhile", async () => {
  expect(Object.keys(SCRIPTS).length).toBeGreaterThanOrEqual(30);
  await withHome(async (home) => {
    const [one, other] = [home.sys(), home.sys()];
    const found: object[] = [];
    for (const [at, [script, wanted]] of drawn(3, Object.entries(SCRIPTS)).entries()) {
      const over = { now: false };
      const answered = asking(other, over);
      const { status, stderr } = await run(one, script, at).finally(() => {
        over.now = true;
      });
      expect(await answered).toBeGreaterThan(0);
      if (![wanted, TIME].some((end) => status === end.status && stderr.includes(end.says)))
        found.push({ script, status, stderr: stderr.slice(0, 300) });
    }
    expect([SEED, found]).toEqual([SEED, []]);
  });
}, 120_000);
