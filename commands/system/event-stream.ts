// `gsv events`: signals of the kernel as JSON lines, until ctrl-c. Gaps are reported: `resync` names the message to read history from, `lost` the
// number of dropped signals.

import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { isPid } from "../../src/abi/ids.ts";
import { namesSignals, SIGNAL_NAMES, type Signal } from "../../src/abi/signal.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { field } from "../../src/syscalls/define.ts";
import { clip, usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { Queue } from "../io/queue.ts";
import { jsonLine } from "../io/status.ts";

const WAITING_MAX = 10_000;

const spec = {
  name: "events",
  summary: "Stream events of your processes as JSON",
  input: {
    about: field.optional(
      field.words("pids and signal names such as process.* (default: all)", {
        positional: true,
        meta: "PID|NAME...",
      }),
    ),
    follow: field.flag("JSON output (the default)", { letter: "f" }),
    limit: field.optional(field.int("number of events before exit", { min: 1, letter: "n", meta: "N" })),
  },
  examples: [
    "gsv events",
    "gsv events 'process.*'",
    "gsv events task:abc123 chat.text chat.complete",
    "gsv events chat.hil -n 1",
  ],
  notes: ["Partial text is only sent if you ask for it: gsv events chat.delta"],
} as const;

const USUAL = ["chat.*", "process.*", "ipc.*", "resync"];

export const events = command(spec, async ({ args }, io) => {
  const pids = (args.about ?? []).filter(isPid);
  const names = (args.about ?? []).filter((word) => !isPid(word));
  for (const name of names) needSignal(name);
  // Signals need a kernel.
  await io.kernel.start();
  const incoming = new Incoming(names.includes("chat.delta"));
  const filters = pids.length === 0 ? [{}] : pids.map((pid) => ({ pid }));
  const wanted = names.length === 0 ? USUAL : names;
  const stops = filters.map((filter) => io.sys().on({ ...filter, names: wanted }, (signal) => incoming.add(signal)));
  stops.push(io.onEnding((name) => incoming.end(ENDED_BY[name])));
  stops.push(io.remotes.onSignedOut((why) => incoming.end(why)));
  try {
    // An unknown process would wait forever. Asked after subscribing, so that no event is missed.
    for (const pid of pids) await io.sys().call("proc.get", { pid });
    return await printed(io, incoming, args.limit ?? Number.POSITIVE_INFINITY);
  } finally {
    for (const stop of stops) stop();
  }
});

// An unknown name would wait forever.
function needSignal(word: string): void {
  if (namesSignals(word)) return;
  const close = nearest(word, SIGNAL_NAMES);
  throw usageError(spec, `no such process or signal: ${clip(word)}`, [
    close.length > 0 ? `did you mean ${close.join(" or ")}` : `signals are ${SIGNAL_NAMES.join(", ")}`,
  ]);
}

async function printed(io: Io, incoming: Incoming, most: number): Promise<number> {
  for (let count = 0; count < most && !io.stdout.closed; ) {
    const next = await incoming.next();
    if ("fault" in next) throw next.fault;
    if ("exit" in next) return next.exit;
    await io.stdout.write(jsonLine("lost" in next ? { name: "lost", count: next.lost } : next.signal));
    if ("signal" in next) count++;
    // Comes without a kernel too. After gsv kernel stop this throws, and nothing waits for events that cannot come.
    if ("signal" in next && next.signal.name === "resync") await io.kernel.start();
  }
  return io.stdout.closed ? ENDED_BY.PIPE : 0;
}

type Next =
  | { readonly fault: SysError }
  | { readonly signal: Signal }
  | { readonly lost: number }
  | { readonly exit: number };

class Incoming {
  private readonly queue = new Queue<Signal | SysError | number>();
  private waiting = 0;
  private lost = 0;

  constructor(private readonly withDeltas: boolean) {}

  add(signal: Signal): void {
    if (signal.name === "chat.delta" && !this.withDeltas) return;
    if (this.waiting >= WAITING_MAX) {
      this.lost++;
      return;
    }
    this.waiting++;
    this.queue.push(signal);
  }

  /** With an exit status, or with an error. */
  end(how: number | SysError): void {
    this.queue.push(how);
  }

  async next(): Promise<Next> {
    const { lost } = this;
    if (lost > 0) {
      this.lost = 0;
      return { lost };
    }
    const item = await this.queue.next();
    if (typeof item === "number") return { exit: item };
    if (item instanceof SysError) return { fault: item };
    this.waiting--;
    return { signal: item };
  }
}
