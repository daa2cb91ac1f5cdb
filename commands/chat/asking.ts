// Asks for approvals and answers on the terminal, one after the other: y, n, always, an edit, or text. An empty line or ctrl-d leaves the
// requests open. Lines typed before the question appeared are ignored.

import { messageOf, SysError } from "../../src/abi/errno.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import { answerText } from "../approvals/approval-card-text.ts";
import { decisionIn, openApproval } from "../approvals/decision.ts";
import { editedArgs, UNCHANGED } from "../approvals/edited-call.ts";
import type { Io } from "../command.ts";
import { note } from "../io/status.ts";
import type { ChatView } from "./view.ts";

/** An earlier line was not typed at this question. */
const DEAF_MS = 400;

type OpenRequest = Pick<SignalOf<"chat.hil">, "id" | "kind" | "about" | "hash">;

interface Waiting {
  readonly asked: OpenRequest;
  readonly print: () => Promise<void>;
}

export class Asking {
  private open: OpenRequest | null = null;
  /** Requests that come after the open one. */
  private waiting: readonly Waiting[] = [];
  /** The text of the open request. */
  private printed: Promise<void> = Promise.resolve();
  private readonly answered = new Set<string>();
  private isReading = false;
  private isOpen = false;
  private isMidLine = false;
  private hasLeft = false;

  /** `left` is called once, when the person leaves a request open. */
  constructor(
    private readonly io: Io,
    private readonly left: () => void,
  ) {}

  async ask(asked: OpenRequest, print: () => Promise<void>): Promise<void> {
    this.waiting = [...this.waiting, { asked, print }];
    if (this.hasLeft) return await this.tellRest();
    await this.askNext();
  }

  /** Asks the next request, unless one is open. */
  async askNext(): Promise<void> {
    // The prompt of a request that was answered elsewhere stays open.
    const { isOpen } = this;
    if (this.open !== null || this.hasLeft || !(await this.takeNext())) return;
    if (!this.isReading) void this.read();
    else if (isOpen && this.open !== null) await this.put(this.open);
  }

  private async takeNext(): Promise<boolean> {
    const [next, ...rest] = this.waiting;
    if (next === undefined) return false;
    this.waiting = rest;
    this.open = next.asked;
    this.printed = next.print();
    await this.printed;
    return true;
  }

  /** Whether this terminal gave the answer, so it needs no report. */
  closed(id: string): boolean {
    if (this.open?.id === id) this.open = null;
    this.waiting = this.waiting.filter(({ asked }) => asked.id !== id);
    return this.answered.has(id);
  }

  /** A view that starts a new line if the question is still open. */
  withRoom(view: ChatView): ChatView {
    const after =
      <Args extends readonly unknown[]>(print: (...args: Args) => Promise<void>) =>
      async (...args: Args) => {
        if (this.isMidLine) await this.io.stderr.write("\n");
        this.isMidLine = false;
        await print(...args);
      };
    const { fresh, sent, signal, status, result } = view;
    return {
      fresh: after(fresh),
      sent: after(sent),
      signal: after(signal),
      status: after(status),
      result: after(result),
    };
  }

  private async read(): Promise<void> {
    this.isReading = true;
    for (let asked = this.open; asked !== null; asked = this.open) {
      await this.printed;
      const line = await this.lineFor(asked);
      if (line === "") return await this.leave(asked);
      if (line === null) continue;
      await this.carryOut(asked, line).catch((error: unknown) => note(this.io, `gsv: ${messageOf(error)}`));
      if (this.open === null) await this.takeNext();
    }
    this.isReading = false;
  }

  private async leave(asked: OpenRequest): Promise<void> {
    this.hasLeft = true;
    await this.tellHow(asked);
    await this.tellRest();
    this.left();
  }

  private async tellRest(): Promise<void> {
    const rest = this.waiting;
    this.waiting = [];
    for (const { asked, print } of rest) {
      await print();
      await this.tellHow(asked);
    }
  }

  private tellHow(asked: OpenRequest): Promise<void> {
    return note(this.io, `gsv: ${answerText(asked)}`);
  }

  /** null for a line that was typed before the question. */
  private async lineFor(asked: OpenRequest): Promise<string | null> {
    const { io } = this;
    const since = io.clock.mono();
    this.isMidLine = true;
    this.isOpen = true;
    // Ctrl-d or a closed terminal: no answer.
    const line = await io.person.ask(questionText(asked)).catch(() => null);
    this.isMidLine = false;
    this.isOpen = false;
    if (line === null) return "";
    return this.open === asked && io.clock.mono() - since >= DEAF_MS ? line.trim() : null;
  }

  private async put(asked: OpenRequest): Promise<void> {
    this.isMidLine = true;
    await this.io.stderr.write(questionText(asked));
  }

  private async carryOut(asked: OpenRequest, line: string): Promise<void> {
    const { id, hash, about } = asked;
    const answer = asked.kind === "question" ? { decision: "answer", text: line } : await this.decided(asked, line);
    if (answer === null) return;
    const sys = this.io.sys();
    this.answered.add(id);
    try {
      await sys.call("hil.answer", { id, ...(hash === "" ? {} : { hash }), ...answer });
    } catch (error) {
      this.answered.delete(id);
      // Answered elsewhere first.
      if ((await openApproval(sys, id)) === null) this.closed(id);
      throw error;
    }
    this.closed(id);
    if (about?.attaches !== undefined && answer.decision === "approve")
      await (await import("../approvals/trust.ts")).offer(this.io, about.attaches);
  }

  /** Null if the line is no answer; then gsv asks again. */
  private async decided({ id, about }: OpenRequest, line: string): Promise<Reply | null> {
    const [first = "", ...why] = line.split(/\s+/);
    if (why.length === 0 && /^e(?:dit)?$/i.test(first)) return await this.edited(id);
    if (/^a(?:lways)?$/i.test(first) && about?.once !== true)
      return { decision: "approve", always: true, ...(why.length > 0 && { pattern: why.join(" ") }) };
    const decision = decisionIn(first.replace(/,$/, ""));
    if (decision === "approve" && why.length === 0) return { decision };
    if (decision !== "deny") return null;
    return why.length === 0 ? { decision } : { decision, message: why.join(" ") };
  }

  private async edited(id: string): Promise<Reply> {
    const approval = await openApproval(this.io.sys(), id);
    if (approval === null) throw new SysError("ENOENT", `no such approval: ${id}`);
    const args = await editedArgs(this.io, approval);
    if (args === null) throw new SysError("EBUSY", UNCHANGED);
    return { decision: "approve", args };
  }
}

interface Reply {
  readonly decision: "approve" | "deny";
  readonly [more: string]: unknown;
}

function questionText({ kind, about }: OpenRequest): string {
  if (kind === "question") return "gsv: your answer, or enter for later: ";
  return `gsv: y once${about?.once === true ? "" : " · a always"} · e edit · n [why] no · enter later: `;
}
