// Spans of time as people write them: `90s`, `30m`, `2h`, `7d`, `4w`. Null for anything else.

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
