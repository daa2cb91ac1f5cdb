// Paths in finished lines as links (OSC 8) to files of this computer. Only an existing file or directory inside the directory of the attached
// process becomes a link: its text comes from a model. Looking never blocks a paint: a line waits for a moment below the scrollback.

import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { isInside } from "../../src/lib/inside.ts";
import { addressOf, type LinkPlace, type NamedPath, pathsIn } from "./named-paths.ts";

/** A line that is not final: its links are looked up. */
export interface Waiting {
  readonly text: string;
  /** Null while its links are looked up. */
  readonly final: () => string | null;
}

export type Line = string | Waiting;

export function plainLine(line: Line): string {
  return typeof line === "string" ? line : line.text;
}

export function linkPlace(
  directory: string | null,
  { workspaceId, cwd }: Pick<ProcessInfo, "workspaceId" | "cwd">,
): LinkPlace | null {
  if (directory === null || workspaceId === null) return null;
  const at = `/workspaces/${workspaceId}`;
  return { real: directory, at, cwd: isInside(cwd, at) ? directory + cwd.slice(at.length) : directory };
}

export interface LinksPorts {
  readonly clock: Clock;
  /** The path without symlinks; null if there is nothing. */
  readonly realOf: (path: string) => Promise<string | null>;
  readonly host: string;
  readonly home: string | undefined;
  /** A waiting line may be final now. */
  readonly changed: () => void;
}

/** Lookups at the same time; other paths stay plain. */
const OPEN_MAX = 32;
const KNOWN_MAX = 512;
/** Afterwards a path is looked up again. */
const FRESH_MS = 2000;
const WAIT_MS = 2000;
const SGR = /\x1b\[[\d;]*m/g;
const ENDS = "\x1b]8;;\x1b\\";

interface Known {
  readonly at: number;
  /** Undefined while it is looked up. */
  exists: boolean | undefined;
}

export class Links {
  isOn = false;
  place: LinkPlace | null = null;
  private readonly known = new Map<string, Known>();
  private open = 0;

  constructor(private readonly ports: LinksPorts) {}

  /** The line with its links, at once if they are known. */
  line(text: string): Line {
    const { place } = this;
    if (!this.isOn || place === null || !/[./]/.test(text)) return text;
    const paths = pathsIn(text.replace(SGR, ""), place, this.ports.home);
    if (paths.length === 0) return text;
    for (const { path } of paths) this.look(path, place);
    const { clock } = this.ports;
    const until = clock.mono() + WAIT_MS;
    const isOpen = () => paths.some(({ path }) => this.known.get(path)?.exists === undefined && this.known.has(path));
    const linked = () => this.linked(text, paths);
    if (!isOpen()) return linked();
    clock.after(WAIT_MS, this.ports.changed);
    return { text, final: () => (isOpen() && clock.mono() < until ? null : linked()) };
  }

  /** For a row that is repainted: adds the links known so far. */
  row(text: string): string {
    const { place } = this;
    if (!this.isOn || place === null || !/[./]/.test(text)) return text;
    const paths = pathsIn(text.replace(SGR, ""), place, this.ports.home);
    for (const { path } of paths) if (!this.known.has(path)) this.look(path, place);
    return this.linked(text, paths);
  }

  private look(path: string, { real }: LinkPlace): void {
    const { clock, realOf, changed } = this.ports;
    const known = this.known.get(path);
    if (known !== undefined && (known.exists === undefined || clock.mono() - known.at < FRESH_MS)) return;
    this.known.delete(path);
    if (this.open >= OPEN_MAX) return;
    if (this.known.size >= KNOWN_MAX) this.known.delete(this.known.keys().next().value ?? "");
    const entry: Known = { at: clock.mono(), exists: undefined };
    this.known.set(path, entry);
    this.open++;
    const ends = (exists: boolean) => {
      this.open--;
      entry.exists = exists;
      changed();
    };
    // A link must not lead out of the directory.
    realOf(path).then(
      (to) => ends(to !== null && isInside(to, real)),
      () => ends(false),
    );
  }

  private linked(text: string, paths: readonly NamedPath[]): string {
    const real = paths.filter(({ path }) => this.known.get(path)?.exists === true);
    return real.length === 0 ? text : withLinks(text, real, this.ports.host);
  }
}

/** The places count characters without SGR. */
function withLinks(text: string, paths: readonly NamedPath[], host: string): string {
  const begins = new Map(paths.map(({ start, path }) => [start, `\x1b]8;;${addressOf(path, host)}\x1b\\`]));
  const ends = new Set(paths.map(({ end }) => end));
  let out = "";
  let shown = 0;
  for (const part of text.split(/(\x1b\[[\d;]*m)/)) {
    if (part.startsWith("\x1b[")) {
      out += part;
      continue;
    }
    for (let at = 0; at < part.length; at++, shown++) {
      if (ends.has(shown)) out += ENDS;
      out += (begins.get(shown) ?? "") + part[at];
    }
  }
  return ends.has(shown) ? out + ENDS : out;
}
