// Numbers of a benchmark: samples, medians, and rows with their floor and budget.

export interface Row {
  readonly name: string;
  readonly unit:
    | "ms"
    | "s"
    | "MB"
    | "MiB"
    | "KB"
    | "%"
    | "/s"
    | "functions"
    | "lines"
    | "reads"
    | "tokens"
    | "exponent";
  readonly median: number;
  /** Absent for single measurements. */
  readonly p95?: number;
  /** The cost of the same thing when next to nothing is done, measured in the same run. */
  readonly floor?: { readonly value: number; readonly what: string };
  /** Shown instead of what the floor is. */
  readonly note?: string;
  /** The maximum. A row without a budget always passes. */
  readonly budget?: number;
}

export function passes(row: Row): boolean {
  return row.budget === undefined || row.median <= row.budget;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Milliseconds of each round, after a few warm-up rounds. */
export async function timed(
  rounds: number,
  body: (round: number) => Promise<unknown>,
  warmUp = Math.min(5, Math.ceil(rounds / 5)),
): Promise<number[]> {
  const values: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const start = performance.now();
    await body(round);
    if (round >= 0) values.push(performance.now() - start);
  }
  return values;
}

/** The measured thing and its floor, in turns, so that load on the machine affects both. */
export async function timedAgainst(
  rounds: number,
  floor: () => Promise<unknown>,
  body: (round: number) => Promise<unknown>,
): Promise<{ readonly values: number[]; readonly floor: number }> {
  const floors: number[] = [];
  const values: number[] = [];
  const start = Math.min(5, Math.ceil(rounds / 5));
  for (let round = -start; round < rounds; round++) {
    for (const [times, work] of [
      [floors, floor],
      [values, body],
    ] as const) {
      const from = performance.now();
      await work(round);
      if (round >= 0) times.push(performance.now() - from);
    }
  }
  return { values, floor: median(floors) };
}

export function rowOf(
  name: string,
  values: readonly number[],
  rest: Pick<Row, "floor" | "budget"> & { unit?: Row["unit"] },
): Row {
  const { unit = "ms", ...others } = rest;
  return { name, unit, median: median(values), p95: quantile(values, 0.95), ...others };
}

export function table(rows: readonly Row[]): string {
  const text = (value: number | undefined, unit: string) =>
    value === undefined ? "-" : `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
  const cells = rows.map((row) => [
    row.name,
    text(row.median, row.unit),
    text(row.p95, row.unit),
    text(row.floor?.value, row.unit),
    text(row.budget, row.unit),
    row.budget === undefined ? "-" : passes(row) ? "ok" : "OVER",
    row.note ?? row.floor?.what ?? "",
  ]);
  const head = ["", "median", "p95", "floor", "budget", "", "the floor is"];
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 || column > 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return `${[head, ...cells].map(line).join("\n")}\n`;
}
