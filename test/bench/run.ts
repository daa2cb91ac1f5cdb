// `npm run bench`: the measured rows of the budget, as medians next to their floor.
//   npm run bench                    a table; exit status 1 when a row is over its budget
//   npm run bench -- --json          one object a line
//   npm run bench -- chat --rounds 9 one family, fewer rounds
// Compare numbers of one machine only; a busy machine gives worse ones.

import { parseArgs } from "node:util";
import { chatRows } from "./chat.ts";
import { commitRows } from "./commit.ts";
import { fileRows } from "./files.ts";
import { followRows } from "./follow.ts";
import { hostRows } from "./host.ts";
import { Floor, freshBinary } from "./machine.ts";
import { passes, type Row, table } from "./measure.ts";
import { modelRows } from "./models.ts";
import { mountRows } from "./mounts.ts";
import { promptRows } from "./prompt.ts";
import { scaleRows } from "./scale.ts";
import { sendRows } from "./send.ts";
import { shellRows } from "./shell.ts";
import { sizeRows } from "./size.ts";
import { startRows } from "./start.ts";
import { terminalRows } from "./terminal.ts";

const FAMILIES: { readonly [name: string]: (floor: Floor, rounds: number) => Promise<Row[]> } = {
  start: startRows,
  chat: chatRows,
  models: modelRows,
  prompt: promptRows,
  send: sendRows,
  follow: followRows,
  commit: commitRows,
  scale: scaleRows,
  files: fileRows,
  mounts: mountRows,
  shell: shellRows,
  host: hostRows,
  terminal: terminalRows,
  size: sizeRows,
};

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false }, rounds: { type: "string", default: "40" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const unknown = positionals.find((name) => !Object.hasOwn(FAMILIES, name));
if (unknown !== undefined || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(`usage: npm run bench -- [--json] [--rounds N] [${Object.keys(FAMILIES).join("|")}]...\n`);
  process.exit(2);
}

await freshBinary();
const floor = new Floor();
const rows: Row[] = [];
try {
  await floor.prepare();
  for (const name of positionals.length > 0 ? positionals : Object.keys(FAMILIES)) {
    process.stderr.write(`${name} ...\n`);
    rows.push(...((await FAMILIES[name]?.(floor, rounds)) ?? []));
  }
} finally {
  floor.remove();
}
process.stdout.write(
  values.json ? rows.map((row) => `${JSON.stringify({ ...row, passed: passes(row) })}\n`).join("") : table(rows),
);
process.exitCode = rows.every(passes) ? 0 : 1;
