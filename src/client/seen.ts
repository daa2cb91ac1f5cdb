// Stores in a file of the home which messages of each process the person has seen, for the summary on return. An unreadable file counts as
// missing.

import { readFileSync, writeFileSync } from "node:fs";
import type { SeenPort } from "../../tui/talk/presence.ts";

const PROCESSES_MAX = 200;

export function seenIn(file: string): SeenPort {
  return {
    of(pid) {
      const entry = read(file)[pid];
      return Array.isArray(entry) && entry.every(Number.isFinite) ? { seq: entry[0], at: entry[1] } : null;
    },
    left() {
      const times = Object.values(read(file)).map((entry) => Number(Array.isArray(entry) ? entry[1] : Number.NaN));
      const known = times.filter(Number.isFinite);
      return known.length === 0 ? null : Math.max(...known);
    },
    keep(pid, { seq, at }) {
      const { [pid]: _, ...others } = read(file);
      const newest = Object.entries(others).slice(1 - PROCESSES_MAX);
      try {
        writeFileSync(file, JSON.stringify({ ...Object.fromEntries(newest), [pid]: [seq, at] }), { mode: 0o600 });
      } catch {
        // The next return then has no summary.
      }
    },
  };
}

function read(file: string): { readonly [pid: string]: [number, number] } {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof kept === "object" && kept !== null ? { ...kept } : {};
  } catch {
    return {};
  }
}
