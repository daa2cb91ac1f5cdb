// Counters and histograms in the text format of Prometheus, version 0.0.4. An observation changes two numbers and allocates nothing.

export interface Family {
  readonly name: string;
  readonly help: string;
}

/** Upper bounds in seconds; the last bucket has none. */
const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

interface Series {
  /** Of each bucket alone; the text adds them up. */
  readonly counts: Float64Array;
  readonly labels: string;
  sum: number;
}

/** Labels are one text: `call="proc.list"`, or empty. */
export class Histogram {
  private readonly series = new Map<string, Series>();
  private readonly buckets: readonly string[];

  constructor(
    private readonly family: Family,
    private readonly label: string | null,
    private readonly bounds: readonly number[] = LATENCIES,
  ) {
    this.buckets = [...bounds, "+Inf"].map((bound) => `${family.name}_bucket{le="${bound}"`);
  }

  observe(of: string, seconds: number): void {
    let series = this.series.get(of);
    if (series === undefined) {
      const labels = this.label === null ? "" : labelsText({ [this.label]: of });
      series = { counts: new Float64Array(this.bounds.length + 1), labels, sum: 0 };
      this.series.set(of, series);
    }
    let bucket = 0;
    while (bucket < this.bounds.length && seconds > this.bounds[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sum += seconds;
  }

  text(): string {
    const { name } = this.family;
    let text = headOf(this.family, "histogram");
    for (const { counts, labels, sum } of this.series.values()) {
      const end = labels === "" ? "} " : `,${labels}} `;
      let total = 0;
      for (let bucket = 0; bucket < counts.length; bucket++) {
        total += counts[bucket]!;
        text += `${this.buckets[bucket]}${end}${total}\n`;
      }
      const braces = labels === "" ? "" : `{${labels}}`;
      text += `${name}_sum${braces} ${sum}\n${name}_count${braces} ${total}\n`;
    }
    return text;
  }
}

export class Counter {
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly family: Family,
    private readonly labels: readonly string[],
  ) {}

  /** The values of the labels, in order. */
  add(...of: readonly string[]): void {
    const key = of.join("\n");
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  text(): string {
    const values = [...this.counts].map(([key, value]) => {
      const of = key.split("\n");
      return { labels: Object.fromEntries(this.labels.map((label, at) => [label, of[at] ?? ""])), value };
    });
    return valuesText(this.family, "counter", values);
  }
}

export interface Value {
  readonly labels?: { readonly [name: string]: string };
  readonly value: number;
}

export function valuesText(family: Family, type: "gauge" | "counter", values: readonly Value[]): string {
  const lines = values.map(({ labels = {}, value }) => {
    const text = labelsText(labels);
    return `${family.name}${text === "" ? "" : `{${text}}`} ${value}\n`;
  });
  return headOf(family, type) + lines.join("");
}

function headOf({ name, help }: Family, type: string): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

function labelsText(labels: { readonly [name: string]: string }): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
