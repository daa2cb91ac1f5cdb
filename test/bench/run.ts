// `npm run bench`: the measured rows of the budget, as medians next to their floor.
//   npm run bench                    a table; exit status 1 when a row is over its budget
//   npm run bench -- --json          one object a line
//   npm run bench -- chat --rounds 9 one family, fewer rounds
//   npm run bench -- --compare REF   this checkout beside another commit, in turns
// Compare numbers of one machine only; a busy machine gives worse ones.

import { parseArgs } from "node:util";
import { chatRows } from "./chat.ts";
import { compare, comparedTable } from "./compare.ts";
import { hostRows } from "./host.ts";
import { clientRows } from "./kernel/clients.ts";
import { commitRows } from "./kernel/commit.ts";
import { fileRows } from "./kernel/files.ts";
import { followRows } from "./kernel/follow.ts";
import { gapRows } from "./kernel/gaps.ts";
import { growthRows } from "./kernel/growth.ts";
import { memoryRows } from "./kernel/memory.ts";
import { mountRows } from "./kernel/mounts.ts";
import { scaleRows } from "./kernel/scale.ts";
import { scheduleRows } from "./kernel/schedules.ts";
import { sendRows } from "./kernel/send.ts";
import { spawnRows } from "./kernel/spawn.ts";
import { linkRows } from "./links.ts";
import { Floor, freshBinary } from "./machine.ts";
import { passes, type Row, table } from "./measure.ts";
import { modelRows } from "./models.ts";
import { promptRows } from "./prompt.ts";
import { remoteRows } from "./remote.ts";
import { shellRows } from "./shell.ts";
import { sizeRows } from "./size.ts";
import { startRows } from "./start.ts";
import { streamRows } from "./terminal/stream.ts";
import { terminalRows } from "./terminal/terminal.ts";

const FAMILIES: { readonly [name: string]: (floor: Floor, rounds: number) => Promise<Row[]> } = {
  start: startRows,
  chat: chatRows,
  models: modelRows,
  prompt: promptRows,
  send: sendRows,
  spawn: spawnRows,
  follow: followRows,
  clients: clientRows,
  commit: commitRows,
  scale: scaleRows,
  schedules: scheduleRows,
  gaps: gapRows,
  growth: growthRows,
  memory: memoryRows,
  files: fileRows,
  mounts: mountRows,
  shell: shellRows,
  host: hostRows,
  terminal: terminalRows,
  stream: streamRows,
  remote: remoteRows,
  links: linkRows,
  size: sizeRows,
};

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "40" },
    compare: { type: "string" },
    pairs: { type: "string", default: "5" },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const pairs = Number(values.pairs);
const unknown = positionals.find((name) => !Object.hasOwn(FAMILIES, name));
if (unknown !== undefined || ![rounds, pairs].every((count) => Number.isInteger(count) && count > 0)) {
  const families = Object.keys(FAMILIES).join("|");
  process.stderr.write(`usage: npm run bench -- [--json] [--rounds N] [--compare REF [--pairs N]] [${families}]...\n`);
  process.exit(2);
}

await freshBinary();
if (values.compare === undefined) await measure();
else await compareWith(values.compare);

async function measure(): Promise<void> {
  const floor = new Floor();
  const rows: Row[] = [];
  let failed = false;
  try {
    await floor.prepare();
    for (const name of positionals.length > 0 ? positionals : Object.keys(FAMILIES)) {
      process.stderr.write(`${name} ...\n`);
      try {
        rows.push(...((await FAMILIES[name]?.(floor, rounds)) ?? []));
      } catch (error) {
        process.stderr.write(`${name} failed: ${error instanceof Error ? error.message : String(error)}\n`);
        failed = true;
      }
    }
  } finally {
    floor.remove();
  }
  const judged = rows.map((row) => ({ ...row, passed: passes(row) }));
  process.stdout.write(values.json ? asLines(judged) : table(rows));
  process.exitCode = rows.every(passes) && !failed ? 0 : 1;
}

async function compareWith(ref: string): Promise<void> {
  const rows = await compare({ ref, families: positionals, rounds: Math.ceil(rounds / pairs), pairs });
  process.stdout.write(values.json ? asLines(rows) : comparedTable(rows));
}

function asLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
