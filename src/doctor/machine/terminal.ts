// What the terminal can show: its name, size, colours and characters. Without one, output is plain, and that is fine.

import { wantsColour } from "../../lib/text/colour.ts";
import { type Check, type Found, notice, ok } from "../check.ts";
import type { Patient } from "../patient.ts";

const COLUMNS_MIN = 60;
const ROWS_MIN = 15;

export const terminal: Check = {
  name: "terminal",
  needsHome: false,
  look(patient) {
    const { env, terminal: screen } = patient;
    if (!screen.isTTY) return [ok("none: output is plain, whole and without colours")];
    const { columns, rows } = screen;
    const found: Found[] = [];
    const { TERM = "" } = env;
    if (TERM === "" || TERM === "dumb")
      found.push(notice(TERM === "" ? "TERM is not set" : "TERM is dumb", { fix: "export TERM=xterm-256color" }));
    if (columns < COLUMNS_MIN || rows < ROWS_MIN)
      found.push(
        notice(`${columns} columns and ${rows} rows are few: tables are cut`, {
          fix: `make it at least ${COLUMNS_MIN} by ${ROWS_MIN}`,
        }),
      );
    if (!/utf-?8/i.test(localeOf(patient)))
      found.push(notice(`the locale ${localeOf(patient) || "(none)"} is not UTF-8`, { fix: "export LANG=C.UTF-8" }));
    return found.length > 0 ? found : [ok(`${TERM}, ${columns} by ${rows}, ${coloursOf(patient)}`)];
  },
};

// The first that is set and not empty, as the C library reads them.
function localeOf({ env }: Patient): string {
  return env.LC_ALL || env.LC_CTYPE || env.LANG || "";
}

function coloursOf({ env }: Patient): string {
  if (!wantsColour(true, env)) return `no colours (${env.NO_COLOR ? "NO_COLOR is set" : "CLICOLOR is 0"})`;
  if (env.COLORTERM === "truecolor" || env.COLORTERM === "24bit") return "24-bit colours";
  return /256/.test(env.TERM ?? "") ? "256 colours" : "16 colours";
}
