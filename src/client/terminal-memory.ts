// Small files of the home that a terminal keeps for itself: which messages of each process the person has seen, for the summary on return, and
// in which directories gsv must not ask to work, and whether it still has to offer to choose a model. An unreadable file counts as missing, and a failed write only means less comfort.

import { readFileSync, writeFileSync } from "node:fs";
import type { SetupPort, SkippedPort } from "../../tui/ports.ts";
import type { SeenPort } from "../../tui/talk/presence.ts";

const PROCESSES_MAX = 200;
const DIRECTORIES_MAX = 500;

export function seenIn(file: string): SeenPort {
  const read = () => Object(readJson(file)) as { readonly [pid: string]: [number, number] };
  return {
    of(pid) {
      const entry = read()[pid];
      return Array.isArray(entry) && entry.every(Number.isFinite) ? { seq: entry[0], at: entry[1] } : null;
    },
    left() {
      const times = Object.values(read()).map((entry) => Number(Array.isArray(entry) ? entry[1] : Number.NaN));
      const known = times.filter(Number.isFinite);
      return known.length === 0 ? null : Math.max(...known);
    },
    keep(pid, { seq, at }) {
      const { [pid]: _, ...others } = read();
      const newest = Object.entries(others).slice(1 - PROCESSES_MAX);
      writeJson(file, { ...Object.fromEntries(newest), [pid]: [seq, at] });
    },
  };
}

export function skippedIn(file: string): SkippedPort {
  const read = () => {
    const kept = readJson(file);
    return Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : [];
  };
  return {
    has: (directory) => read().includes(directory),
    add: (directory) =>
      writeJson(file, [...read().filter((each) => each !== directory), directory].slice(-DIRECTORIES_MAX)),
  };
}

/** In the file of the skipped directories: no directory has this name. */
const MODEL = "model";

export function setupIn(file: string): SetupPort {
  const skipped = skippedIn(file);
  return { isOver: () => skipped.has(MODEL), end: () => skipped.add(MODEL) };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function writeJson(file: string, value: object): void {
  try {
    writeFileSync(file, JSON.stringify(value), { mode: 0o600 });
  } catch {} // a full disk: nothing is remembered
}
