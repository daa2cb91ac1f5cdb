// Approvals and questions of a session's processes, asked in the editor. A terminal can answer them at the same time.

import type { Sys } from "../../../src/abi/sys.ts";
import type { ShownApproval } from "../../../src/syscalls/approval/hil.ts";
import { cardId, type Hil, requestedCall, stepsIn } from "./calls.ts";
import type { Json, Rpc } from "./rpc.ts";
import type { Session } from "./session.ts";
import { chunk, planUpdate } from "./translate.ts";

export interface RequestPorts {
  readonly sys: Sys;
  readonly rpc: Pick<Rpc, "request" | "withdraw">;
  readonly update: (session: Session, update: Json) => void;
}

type Closed = { readonly id: string; readonly pid: string; readonly decision: string };
/** The person's answer, as hil.answer takes it; null without one: the request stays open. */
type Answer = Json | null;

const PLAN = "Plan";

const PERMISSIONS = [
  { optionId: "approve", name: "Allow once", kind: "allow_once" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
] as const;

const PLAN_ANSWERS = [
  { optionId: "ask", name: "Accept, and ask before changes", kind: "allow_once" },
  { optionId: "accept-edits", name: "Accept, and edit without asking", kind: "allow_always" },
  { optionId: "deny", name: "Keep planning", kind: "reject_once" },
] as const;

export class Requests {
  /** The request to the editor for each approval. */
  private readonly open = new Map<string, number>();

  constructor(private readonly ports: RequestPorts) {}

  /** Those that wait since before the session was opened. */
  async askOpen(session: Session, isOfSession: (pid: string) => Promise<boolean>): Promise<void> {
    const { approvals } = await this.ports.sys.call<{ approvals: readonly ShownApproval[] }>("hil.list", {});
    for (const { runId, ...each } of approvals)
      if (await isOfSession(each.pid)) void this.ask(session, { ...each, run: runId, name: "chat.hil" } as never);
  }

  async ask(session: Session, hil: Omit<Hil, "at">): Promise<void> {
    if (this.open.has(hil.id) || session.question === hil.id) return;
    const choices = hil.kind === "question" ? choicesOf(hil) : null;
    if (hil.kind === "question" && choices === null) return this.askText(session, hil);
    if (hil.tool === PLAN) this.present(session, hil);
    if (hil.pid === session.pid) session.asked(cardId(hil), hil);
    const { id, answer } = this.ports.rpc.request("session/request_permission", {
      ...{ sessionId: session.pid, toolCall: requestedCall(hil, session.place) },
      options: choices ?? (hil.tool === PLAN ? PLAN_ANSWERS : PERMISSIONS),
    });
    this.open.set(hil.id, id);
    const { outcome, optionId } = ((await answer)?.outcome ?? {}) as Json;
    const given = outcome === "selected" ? answerOf(hil, String(optionId), choices) : null;
    if (given !== null) await this.ports.sys.call("hil.answer", { id: hil.id, ...given });
  }

  /** Answered here, in a terminal, or not needed any more. */
  closed(session: Session, { id, decision, pid }: Closed): void {
    const asked = this.open.get(id);
    this.open.delete(id);
    if (asked !== undefined) this.ports.rpc.withdraw(asked);
    // An approved call of the process itself follows and continues its card.
    if (asked !== undefined && (pid !== session.pid || decision !== "approve")) {
      session.unasked(cardId({ id }));
      const status = decision === "approve" || decision === "answer" ? "completed" : "failed";
      this.ports.update(session, { sessionUpdate: "tool_call_update", toolCallId: cardId({ id }), status });
    }
    if (session.question === id) session.question = null;
    if (session.planId !== id) return;
    if (decision !== "approve") session.plan = [];
    this.ports.update(session, planUpdate(session.plan, "in_progress"));
    session.planId = null;
  }

  private present(session: Session, { id, args }: Omit<Hil, "at">): void {
    session.planId = id;
    session.plan = stepsIn(String((args as Json).plan));
    this.ports.update(session, planUpdate(session.plan, "pending"));
  }

  /** The protocol has no question with a free answer: the next prompt is the answer. */
  private askText(session: Session, { id, args, run }: Omit<Hil, "at">): void {
    const { question = "" } = args as { readonly question?: string };
    session.question = id;
    this.ports.update(session, chunk("agent_message_chunk", `\n\n${question}`));
    const { prompt } = session;
    if (prompt?.runId !== run) return;
    session.prompt = null;
    prompt.end.resolve({ stopReason: "end_turn" });
  }
}

function answerOf({ tool, hash }: Omit<Hil, "at">, optionId: string, choices: readonly Json[] | null): Answer {
  if (choices !== null) {
    const chosen = choices.find((each) => each.optionId === optionId);
    return chosen === undefined ? null : { decision: "answer", text: chosen.name };
  }
  if (optionId === "deny") return { decision: "deny", hash };
  if (tool === PLAN) return { decision: "approve", mode: optionId, hash };
  return optionId === "approve" ? { decision: "approve", hash } : null;
}

/** Null if the question takes any text. */
function choicesOf({ args }: Omit<Hil, "at">): readonly Json[] | null {
  const { choices } = args as { readonly choices?: readonly string[] };
  if (choices === undefined || choices.length === 0) return null;
  return choices.map((name, index) => ({ optionId: String(index), name, kind: "allow_once" }));
}
