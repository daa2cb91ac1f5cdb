// Names and numbers of signals, and the words of `kill`. Pure.

const SIGNALS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ HUP: 1, INT: 2, QUIT: 3, ILL: 4, TRAP: 5, ABRT: 6, BUS: 7, FPE: 8, KILL: 9, USR1: 10, SEGV: 11, USR2: 12 },
    ...{ PIPE: 13, ALRM: 14, TERM: 15, CHLD: 17, CONT: 18, STOP: 19, TSTP: 20, TTIN: 21, TTOU: 22, URG: 23 },
    ...{ XCPU: 24, XFSZ: 25, VTALRM: 26, PROF: 27, WINCH: 28, IO: 29, PWR: 30, SYS: 31 },
  }),
);

/** Events besides signals that `trap` accepts. */
const EVENTS = new Set(["EXIT", "ERR", "DEBUG", "RETURN"]);

/** `SIGTERM`, `term` and `15` are all TERM, 0 is EXIT; null if unknown. */
export function signalNamed(word: string): string | null {
  if (word === "0") return "EXIT";
  const upper = word.toUpperCase().replace(/^SIG/, "");
  if (SIGNALS.has(upper) || EVENTS.has(upper)) return upper;
  return [...SIGNALS].find(([, number]) => String(number) === word)?.[0] ?? null;
}

export function numberOf(name: string): number {
  return SIGNALS.get(name) ?? 0;
}

const COLUMNS = 5;

/** In the order of `kill -l`. */
export function signalTable(): string {
  const cells = [...SIGNALS].map(([name, number]) => `${String(number).padStart(2)}) SIG${name}`);
  const rows = Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, at) =>
    cells.slice(at * COLUMNS, (at + 1) * COLUMNS),
  );
  return rows.map((row) => `${row.join("\t")}\n`).join("");
}

export function killOptions(args: readonly string[]) {
  const [first = "", second = ""] = args;
  if (first === "-s" || first === "-n") return { signal: second, flags: args.slice(0, 2), targets: args.slice(2) };
  if (first === "--") return { signal: "TERM", flags: [], targets: args.slice(1) };
  // `-l` and other letters are flags, not signals.
  if (/^-(?:l|L|-help|h|-json)$/.test(first)) return { signal: "TERM", flags: args, targets: [] };
  const isSignal = first.startsWith("-") && (/^-\d+$/.test(first) || signalNamed(first.slice(1)) !== null);
  if (isSignal) return { signal: first.slice(1), flags: [first], targets: args.slice(args[1] === "--" ? 2 : 1) };
  return { signal: "TERM", flags: [], targets: args };
}
