// Durations: parsed from `90s`, `30m`, `2h`, `7d`, `4w` (else null), and formatted.

const UNIT_MS: { readonly [unit: string]: number } = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export function durationMs(text: string): number | null {
  const [, count, unit = ""] = /^([1-9][0-9]{0,5})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_MS[unit] ?? 0);
}

/** Exact: `30 minutes`, `90 seconds`, `2500 ms`. */
export function spanText(ms: number): string {
  if (ms % 60_000 === 0) return counted(ms / 60_000, "minute");
  return ms % 1000 === 0 ? counted(ms / 1000, "second") : `${Math.round(ms)} ms`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
