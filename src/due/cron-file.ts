// Cron files as text: lines of five fields and a command, comments, and `CRON_TZ=ZONE` for the lines below it. In a file of root, a user
// stands before the command. The first bad line refuses the whole file. Pure.

import { SysError } from "../abi/errno.ts";
import type { Timing } from "../abi/schedule.ts";
import { cronOf } from "./cron.ts";
import { zoneNamed } from "./zone.ts";

export interface CronLine {
  readonly number: number;
  readonly timing: Timing;
  /** Only in files of root. */
  readonly user: string | null;
  readonly command: string;
}

export interface CronFileRules {
  readonly path: string;
  readonly zone: string;
  readonly hasUser: boolean;
}

const BYTES_MAX = 256 * 1024;
const LINES_MAX = 1000;

export function cronLines(text: string, { path, zone: given, hasUser }: CronFileRules): readonly CronLine[] {
  if (Buffer.byteLength(text) > BYTES_MAX) throw new SysError("EFBIG", `${path}: a cron file has at most 256 KiB`);
  let zone = given;
  const lines: CronLine[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const where = `${path}, line ${index + 1}`;
    const [, name, value = ""] = /^([A-Z_a-z]\w*)\s*=\s*(.*)$/.exec(line) ?? [];
    try {
      if (name === undefined) lines.push({ number: index + 1, ...entryOf(line, zone, hasUser) });
      else if (name === "CRON_TZ") zone = zoneNamed(value.replace(/^(["'])(.*)\1$/, "$2"));
      else throw new SysError("EINVAL", `${name} cannot be set here`, ["only CRON_TZ=ZONE; set others in the command"]);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      throw new SysError(error.code, `${where}: ${error.message}`, error.hints);
    }
  }
  if (lines.length > LINES_MAX) throw new SysError("ELIMIT", `${path}: a cron file has at most ${LINES_MAX} entries`);
  return lines;
}

function entryOf(line: string, zone: string, hasUser: boolean): Omit<CronLine, "number"> {
  const fields = line.startsWith("@") ? 1 : 5;
  const words = /^((?:\S+\s+){N}\S+)\s+(.*)$/.source.replace("N", String(fields - 1));
  const [, expr = line, rest = ""] = new RegExp(words).exec(line) ?? [];
  const [, user = null, command] = (hasUser ? /^(\S+)\s+(.+)$/.exec(rest) : [rest, null, rest]) ?? [];
  const { expr: shown, zone: named } = cronOf(expr, zone);
  if (command === undefined || command === "")
    throw new SysError("EINVAL", `${hasUser ? "user or " : ""}command missing`);
  return { timing: { kind: "cron", expr: shown, zone: named }, user, command };
}
