// `GET /metrics`: figures of the kernel for Prometheus. Nothing is collected before the first request. No label names a process or an account,
// or contains text of a user.

import type { Clock } from "../../lib/clock.ts";
import { HEADERS } from "../rest.ts";
import type { Visit } from "../route.ts";
import type { FigureSource, Figures } from "./figures.ts";
import { Counter, Histogram, valuesText } from "./meters.ts";

export async function answerMetrics(visit: Visit): Promise<Response> {
  // Only its own kind of token opens this route.
  await (await visit.open()).close();
  const text = await visit.host.metrics.text(visit.version);
  return new Response(text, { headers: { ...HEADERS, "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
}

const LOOP_MS = 200;
const LOOP_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export class Metrics {
  private readonly calls = new Histogram({ name: "gsv_call_seconds", help: "Time of a call, by name." }, "call");
  private readonly failures = new Counter(
    { name: "gsv_call_failures_total", help: "Failed calls, by name and code." },
    ["call", "code"],
  );
  private readonly writes = new Histogram(
    { name: "gsv_store_write_seconds", help: "Time of a transaction; full ones are on disk before they return." },
    "durability",
  );
  private readonly loop = new Histogram(
    { name: "gsv_event_loop_delay_seconds", help: "How late a timer of 200 ms came." },
    null,
    LOOP_BOUNDS,
  );
  private readonly requests = new Counter({ name: "gsv_http_requests_total", help: "HTTP requests, by route." }, [
    "route",
    "status",
  ]);
  private readonly refusals = new Counter(
    { name: "gsv_entries_rejected_total", help: "Requests that did not enter." },
    ["status"],
  );
  private stop: (() => void) | null = null;

  constructor(
    private readonly source: FigureSource,
    private readonly clock: Clock,
  ) {}

  /** `route` is the pattern of the table, null without one. */
  answered(route: string | null, status: number): void {
    if (this.stop === null) return;
    this.requests.add(route ?? "none", String(status));
    if (REJECTIONS.has(status)) this.refusals.add(String(status));
  }

  async text(version: string): Promise<string> {
    this.stop ??= this.begin();
    const figures = await this.source.read();
    return [
      valuesText({ name: "gsv_info", help: "The version of gsv." }, "gauge", [{ labels: { version }, value: 1 }]),
      ...figureTexts(figures, this.clock.now()),
      ...[this.calls, this.failures, this.writes, this.loop, this.requests, this.refusals].map((each) => each.text()),
    ].join("");
  }

  close(): void {
    this.stop?.();
    this.stop = null;
  }

  private begin(): () => void {
    const stopWatching = this.source.watch({
      call: (name, outcome, ms) => {
        this.calls.observe(name, ms / 1000);
        if (outcome !== "ok") this.failures.add(name, outcome);
      },
      write: (durability, ms) => this.writes.observe(durability, ms / 1000),
    });
    let cancel = () => {};
    const tick = () => {
      const before = this.clock.mono();
      cancel = this.clock.after(LOOP_MS, () => {
        this.loop.observe("", Math.max(0, this.clock.mono() - before - LOOP_MS) / 1000);
        tick();
      });
    };
    tick();
    return () => {
      cancel();
      stopWatching();
    };
  }
}

/** The door or the login refused it. */
const REJECTIONS = new Set([401, 403, 421, 429]);

function figureTexts(figures: Figures, now: number): string[] {
  const { states, queue, approvals, usage, clients, memoryBytes, cpuSeconds, startedAt } = figures;
  const gauge = (name: string, help: string, value: number) => valuesText({ name, help }, "gauge", [{ value }]);
  const counter = (name: string, help: string, value: number) => valuesText({ name, help }, "counter", [{ value }]);
  const by = (label: string, values: readonly (readonly [string, number])[]) =>
    values.map(([of, value]) => ({ labels: { [label]: of }, value }));
  const age = (at: number | null) => (at === null ? 0 : Math.max(0, now - at) / 1000);
  const tokens = Object.entries(usage.tokens);
  return [
    gauge("gsv_start_time_seconds", "When the kernel started.", startedAt / 1000),
    valuesText({ name: "gsv_processes", help: "Processes, by state." }, "gauge", by("state", states)),
    gauge("gsv_queued_messages", "Messages that wait for a process.", queue.messages),
    gauge("gsv_queue_age_seconds", "Age of the oldest message that waits for a process at work.", age(queue.oldestAt)),
    valuesText(
      { name: "gsv_approvals_waiting", help: "Requests that wait for a person, by kind." },
      "gauge",
      by("kind", approvals.waiting),
    ),
    gauge("gsv_approval_age_seconds", "Age of the oldest of them.", age(approvals.oldestAt)),
    counter("gsv_turns_total", "Model calls since metrics are read.", usage.turns),
    counter("gsv_turns_wasted_total", "Model calls that were cut off or failed.", usage.wasted),
    counter("gsv_turns_unpriced_total", "Model calls without a known price; their cost counts as 0.", usage.unpriced),
    valuesText({ name: "gsv_tokens_total", help: "Tokens, by kind." }, "counter", by("kind", tokens)),
    counter("gsv_cost_usd_total", "Cost of the model calls in US dollars.", usage.costUsd),
    gauge("gsv_clients", "Clients of the socket and websockets.", clients),
    gauge("process_resident_memory_bytes", "Memory of the kernel.", memoryBytes),
    counter("process_cpu_seconds_total", "CPU time of the kernel.", cpuSeconds),
  ];
}
