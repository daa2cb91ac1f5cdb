// Times, sizes and sums for people. Pure.

/** Whole seconds, so that a counting row stays readable. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : clockText(ms);
}

export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, "0");
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

export function hourText(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : clockText(ms);
}

/** 512, 1.2k, 41k, 1.2M. */
export function countText(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** In cents, with more digits below one cent. */
export function usdText(usd: number): string {
  if (usd >= 0.01 || usd === 0) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? "<$0.0001" : `$${usd.toFixed(4)}`;
}
