// Ten minutes at the terminal (or GSV_SOAK_MINUTES): answers, tools, approvals, views, resizes. Memory stays flat and each answer is on the
// screen once. Only in `npm run soak`.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { withHome } from "../support/home.ts";
import { seeded } from "../support/random.ts";
import type { Session } from "../support/session.ts";

const MINUTES = Number(process.env.GSV_SOAK_MINUTES ?? "10");
const soaks = test.skipIf(process.env.GSV_SOAK !== "1");
/** What a runtime takes before it returns memory. */
const GROWTH_MIB_MAX = 40;
const WARM_SHARE = 0.3;
const LINES = 60;
const SCRIPT = [
  { when: "tool", text: "I look.", calls: [{ name: "Read", args: { path: "/proc/uptime" } }] },
  { when: "tool", text: "It is so.", delayMs: 20 },
  { when: "ask", text: "I remove it.", calls: [{ name: "Delete", args: { path: "~/nothing" } }] },
  { when: "ask", text: "Well then." },
  { when: "long", text: `${lines("{{n}}")}\n\nEnd of {{last}}.`, chunk: 30, chunkDelayMs: 3 },
];

function lines(mark: string): string {
  return Array.from({ length: LINES }, (_, line) =>
    line % 8 === 7
      ? `\`\`\`ts\nconst line${line} = "${mark}"; // ${"x".repeat(60)}\n\`\`\``
      : `- line ${line} of ${mark}`,
  ).join("\n\n");
}

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

const IDLE = /^(?:(?!esc stop| pending)[\s\S])*\n[›$]$/;

async function once(session: Session, turn: number, pick: (count: number) => number): Promise<void> {
  const kind = pick(6);
  if (kind === 0) session.type(`, tool ${turn}\r`);
  else if (kind === 1) {
    session.type(`, ask ${turn}\r`);
    await session.until(/wants to delete/);
    await Bun.sleep(500);
    session.type(pick(2) === 0 ? "y" : "n");
  } else if (kind === 2) {
    session.type("\x14");
    await session.until(/^PID/m);
    await Bun.sleep(200);
    session.type("q");
  } else if (kind === 3) session.type("ls /proc\r");
  else {
    session.type(`, long ${turn}\r`);
    for (let size = 0; size < 3; size++) {
      await Bun.sleep(60);
      session.resize(60 + pick(80), 24 + pick(20));
    }
    await session.until(new RegExp(`End of long ${turn}\\.`), 30_000);
  }
  session.resize(100, 30);
  await session.until(IDLE, 30_000);
}

soaks(`${MINUTES} minutes of use keep each answer on the screen once, and memory flat`, () =>
  withHome(async (home) => {
    const random = seeded(Math.floor(Math.random() * 2 ** 31));
    const script = await home.file("script.jsonl", SCRIPT);
    await using session = home.terminal({ GSV_MODEL: `script:${script}`, GSV_KERNEL_IDLE_MS: "60000" });
    await session.until(IDLE);
    const end = performance.now() + MINUTES * 60_000;
    const warm = performance.now() + MINUTES * 60_000 * WARM_SHARE;
    const samples: number[] = [];
    let turn = 0;
    for (; performance.now() < end; turn++) {
      await once(session, turn, (count) => random.int(count));
      if (performance.now() > warm) samples.push(residentMib(session.process.pid));
      session.reads.length = 0;
    }
    const half = Math.ceil(samples.length / 2);
    const [early, late] = [samples.slice(0, half), samples.slice(half)].map((part) => Math.min(...part));
    process.stderr.write(`seed ${random.seed}: ${turn} turns, ${early?.toFixed(0)} to ${late?.toFixed(0)} MiB\n`);
    expect((late ?? 0) - (early ?? 0)).toBeLessThan(GROWTH_MIB_MAX);
    const ends = session.everything().filter((line) => /^ {2}End of long \d+\.$/.test(line));
    expect(new Set(ends).size).toBe(ends.length);
    expect(session.everything().filter((line) => /^~ {2}init:1000/.test(line))).toHaveLength(1);
  }),
);
