// Instants as a person reads them, in the time zone of the browser. Pure.

const DAY_MS = 86_400_000;

export function untilText(at: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((at - now) / 1000));
  if (seconds < 60) return `in ${seconds}s`;
  if (seconds < 3600) return `in ${Math.floor(seconds / 60)}m`;
  return seconds * 1000 < DAY_MS ? `in ${Math.floor(seconds / 3600)}h` : `in ${Math.floor(seconds / 86_400)}d`;
}

/** For example `27 Nov 21:14`. */
export function timesText(at: number): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })
    .format(at)
    .replace(",", "");
}
