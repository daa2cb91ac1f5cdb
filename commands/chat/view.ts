// Output of a chat: text (answers on stdout, the rest on stderr), JSON lines, or one JSON object. If a streamed answer is retried or stored
// differently, a line says so.

import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { reveal, Sanitizer } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Sent } from "../../src/syscalls/services.ts";
import { answerText, approvalText } from "../approvals/approval-card-text.ts";
import type { Io } from "../command.ts";
import { type ChatEvent, type ChatEventOf, EVENT_VERSION, toEvent } from "../events.ts";
import { COMPACTING, compactedText } from "../history/compacted.ts";
import { jsonLine, note } from "../io/status.ts";
import { Countdown } from "./countdown.ts";

export type ChatResult = ChatEventOf<"result">;

export interface ChatView {
  fresh(pid: string): Promise<void>;
  sent(sent: Sent): Promise<void>;
  signal(signal: Signal): Promise<void>;
  status(text: string): Promise<void>;
  result(result: ChatResult): Promise<void>;
}

const TOOL_LINE_COLUMNS = 120;
const CALL_COLUMNS_MAX = 500;

interface TextOptions {
  /** Leaves escape sequences of the model in a pipe; a terminal never gets them. */
  readonly raw: boolean;
  /** The questions that follow contain the instructions. */
  readonly asks?: boolean;
}

export function textView(io: Io, { raw, asks = false }: TextOptions): ChatView {
  const answer = new Answer(io, raw);
  const countdown = new Countdown(io);
  async function line(text: string) {
    await answer.makeRoom();
    await note(io, cutWidth(text, io.stderr.isTTY ? io.stderr.columns : TOOL_LINE_COLUMNS));
  }
  async function status(text: string) {
    await answer.makeRoom();
    await note(io, `gsv: ${text}`);
  }
  const view: ChatView = {
    status,
    fresh: (pid) => status(`new process ${pid}`),
    async sent({ pid, queued, renewed, response }) {
      if (queued) await status(queuedText(pid));
      if (renewed) await status(RENEWED);
      for (const text of response?.split("\n") ?? []) await line(text);
    },
    async signal(signal) {
      switch (signal.name) {
        case "chat.start":
          if (signal.model.startsWith("offline")) {
            await status("no model configured; answers come from the built-in manual");
          }
          return;
        case "chat.delta":
          return signal.kind === "text" ? answer.grow(signal.turn, signal.text) : undefined;
        case "chat.text":
          if (await answer.differs(signal.text))
            await status("the stored answer differs from the streamed text; full answer:");
          return answer.commit(signal.text);
        case "chat.tool_call":
          return line(`[tool] ${callText(signal)}`);
        case "chat.tool_result":
          return signal.ok ? undefined : line(`[tool] ${signal.tool} failed: ${firstLine(signal.output)}`);
        case "chat.hil":
          await answer.makeRoom();
          for (const line of `gsv: ${approvalText(signal)}`.split("\n")) await note(io, line);
          return asks ? undefined : await note(io, `gsv: ${answerText(signal)}`);
        case "chat.hil_closed":
          return status(`${signal.id}: ${DECIDED[signal.decision]} by ${signal.by}`);
        case "chat.compacting":
          return line(`[compacting] ${COMPACTING}`);
        case "chat.compacted":
          return line(`[compacted] ${compactedText(signal)}`);
        case "chat.restart":
          await answer.drop();
          return restarted(signal, countdown, status);
      }
    },
    async result(result) {
      // After --detach, the pid is needed to come back.
      if (result.status === "detached" && result.exit === 0) return io.stdout.write(`${result.pid}\n`);
      // An absorbed run sends no text; its result has the answer.
      if (!answer.printed && result.text) await answer.commit(result.text);
      await answer.endLine();
      if (result.status === "ok" && !answer.printed) await status(UNSHOWN);
    },
  };
  return afterCountdown(view, countdown);
}

/** Ends the countdown before anything but the next one is printed. */
function afterCountdown(view: ChatView, countdown: Countdown): ChatView {
  const first =
    <Given>(print: (given: Given) => Promise<void>) =>
    async (given: Given) => {
      await countdown.stop();
      await print(given);
    };
  const signal = first(view.signal);
  return {
    fresh: first(view.fresh),
    sent: first(view.sent),
    status: first(view.status),
    result: first(view.result),
    signal: (given) => (given.name === "chat.restart" ? view.signal(given) : signal(given)),
  };
}

async function restarted(
  signal: SignalOf<"chat.restart">,
  countdown: Countdown,
  status: (text: string) => Promise<void>,
): Promise<void> {
  const { until, at } = signal;
  // The signal of the state reports the hold.
  if (signal.putAside) return await countdown.stop();
  if (until !== null && countdown.isShown)
    return await countdown.start(until, (seconds) => `gsv: ${restartText(signal, seconds)}`);
  await countdown.stop();
  await status(restartText(signal, until === null ? 0 : Math.round((until - at) / 1000)));
}

const UNSHOWN = "the answer has no printable text; --json prints it unchanged";

export function jsonLinesView(io: Io): ChatView {
  let about: Pick<ChatEvent, "pid" | "parent" | "run"> = { pid: null, parent: null, run: null };
  let begun = false;
  // Lines from before the run is known wait, so that `init` can come first.
  const early: string[] = [];
  const warning = (message: string): ChatEvent => ({ type: "warning", ...about, message });
  async function begin(model: string | null) {
    if (begun) return;
    begun = true;
    const init: ChatEvent = { type: "init", ...about, v: EVENT_VERSION, model };
    await io.stdout.write([init, ...early.map(warning)].map(jsonLine).join(""));
  }
  async function emit(event: ChatEvent | null) {
    if (event === null) return;
    await begin(null);
    await io.stdout.write(jsonLine(event));
  }
  return {
    // `init` names it.
    fresh: async () => {},
    async sent({ pid, parent = null, runId, queued, renewed }) {
      about = { pid, parent, run: runId };
      if (renewed) early.push(RENEWED);
      if (queued) await emit(warning(queuedText(pid)));
    },
    async signal(signal) {
      about = { ...about, parent: signal.parent };
      if (signal.name === "chat.start") await begin(signal.model);
      await emit(toEvent(signal));
    },
    async status(message) {
      if (about.run === null) early.push(message);
      else await emit(warning(message));
    },
    result: (result) => emit(result),
  };
}

/** Only the result, as one object. The rest goes to stderr. */
export function jsonResultView(io: Io): ChatView {
  const status = (text: string) => note(io, `gsv: ${text}`);
  return {
    fresh: (pid) => status(`new process ${pid}`),
    sent: async ({ pid, queued }) => (queued ? status(queuedText(pid)) : undefined),
    signal: async () => {},
    status,
    result: (result) => io.stdout.write(jsonLine(result)),
  };
}

interface ShownCall {
  readonly tool: string;
  readonly args: object;
}

// Cut after control characters were made visible, because they take room.
function callText({ tool, args }: ShownCall): string {
  return `${tool} ${cutWidth(reveal(JSON.stringify(args)), CALL_COLUMNS_MAX)}`;
}

const RENEWED = "starting a new conversation; the previous one is archived";

function queuedText(pid: string): string {
  return `queued: ${pid} is busy or on hold`;
}

const DECIDED = {
  approve: "approved",
  deny: "denied",
  answer: "answered",
  expired: "expired",
  withdrawn: "withdrawn",
} as const;

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

// The answer on stdout. `open` is the shown text of an uncommitted turn. Line ends wait for more text, so an answer ends with exactly one.
class Answer {
  printed = false;
  private open: { turn: number; text: string } | null = null;
  private midLine = false;
  private lineEnds = "";
  private readonly sanitizer: Sanitizer | null;

  constructor(
    private readonly io: Io,
    raw: boolean,
  ) {
    const { isTTY } = io.stdout;
    this.sanitizer = raw && !isTTY ? null : new Sanitizer(isTTY ? "terminal" : "pipe");
  }

  async grow(turn: number, text: string): Promise<void> {
    if (this.open?.turn !== turn) await this.drop();
    this.open ??= { turn, text: "" };
    this.open.text += text;
    await this.write(text);
  }

  /** Whether the committed text does not start with the shown text; then closes the open turn. */
  async differs(text: string): Promise<boolean> {
    if (this.open === null || text.startsWith(this.open.text)) return false;
    await this.drop();
    return true;
  }

  async commit(text: string): Promise<void> {
    const rest = text.slice(this.open?.text.length ?? 0);
    this.open = null;
    await this.endLine(rest);
  }

  async drop(): Promise<void> {
    this.open = null;
    await this.endLine();
  }

  /** Writes the rest and its line end at once: others may write to the same pipe. */
  async endLine(rest = ""): Promise<void> {
    const end = this.withoutEnds(this.sanitizer === null ? rest : this.sanitizer.push(rest) + this.sanitizer.end());
    this.lineEnds = "";
    await this.print(end !== "" || this.midLine ? `${end}\n` : "");
  }

  /** A status line must not share a row of the terminal with the answer; in a pipe the answer stays as it is. */
  async makeRoom(): Promise<void> {
    if (!this.io.stdout.isTTY || !this.midLine) return;
    this.lineEnds = this.lineEnds.slice(1);
    await this.print("\n");
  }

  private write(text: string): Promise<void> {
    return this.put(this.sanitizer?.push(text) ?? text);
  }

  private put(text: string): Promise<void> {
    return this.print(this.withoutEnds(text));
  }

  private withoutEnds(text: string): string {
    const all = this.lineEnds + text;
    let end = all.length;
    while (all[end - 1] === "\n") end--;
    this.lineEnds = all.slice(end);
    return all.slice(0, end);
  }

  private async print(text: string): Promise<void> {
    if (text === "") return;
    this.printed = true;
    this.midLine = !text.endsWith("\n");
    await this.io.stdout.write(text);
  }
}

function restartText({ attempt, reason, retry }: SignalOf<"chat.restart">, seconds: number): string {
  const which = retry === undefined ? `attempt ${attempt}` : `${retry.next} of ${retry.of}`;
  return `retrying${seconds < 1 ? "" : ` in ${seconds} s`} (${which}): ${reason}`;
}
