// Times as `sleep` and `timeout` take them. Pure.

const UNITS: { readonly [unit: string]: number } = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Milliseconds of `2`, `1.5m` or `1d`; null for other words. */
export function spanMs(text: string): number | null {
  const [, number, unit = ""] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (UNITS[unit] ?? 1) * 1000;
}
