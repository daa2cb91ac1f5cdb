// Requests of agents. Only a person answers one: at the client, if it can ask its person and that person may answer, else in a terminal.
// What a client sends without being asked by its person (decline, cancel) leaves the request open.

import { SysError } from "../../../src/abi/errno.ts";
import { sanitize } from "../../../src/lib/text/sanitize.ts";
import type { ShownApproval } from "../../../src/syscalls/approval/hil.ts";
import { field } from "../../../src/syscalls/define.ts";
import { approvalText } from "../../approvals/approval-card-text.ts";
import { fittingLines, listText } from "./pages.ts";
import { type Content, type Outcome, type ServerPorts, type ToolCall, tool } from "./tool.ts";

interface Listed {
  readonly approvals: readonly ShownApproval[];
  readonly next: string | null;
}

/** A longer request is not asked in a form: a person must see all of it. */
const ASKED_CHARS_MAX = 4000;
const CHOICES = ["approve", "deny"];

export const approvalTools = [
  tool({
    name: "list_approvals",
    description: "List requests of agents that wait for the person. With an id: ask the person for an answer.",
    needs: ["hil.list"],
    readOnly: true,
    input: {
      id: field.optional(field.text("only this one, in full", { shortest: 1, longest: 16 })),
      cursor: field.optional(field.text("cursor of the page before", { longest: 100 })),
    },
    async run(ports, { id, cursor }, call) {
      if (id !== undefined) return (await answerOf(ports, call)) ?? (await requestNow(ports, id, call, ""));
      const page = await ports.sys.call<Listed>("hil.list", cursor === undefined ? {} : { after: cursor });
      const rows = page.approvals.map((each) => ({
        ...{ createdAt: each.createdAt, id: each.id },
        line: sanitize(`${approvalText(each)}\n${howTo(each)}\n`),
      }));
      return listText(rows, page.next, "(nothing pending)");
    },
  }),
];

/** Asks the person at the client, or says what waits and how to decide it. */
export async function requestNow(ports: ServerPorts, id: string, call: ToolCall, head: string): Promise<Outcome> {
  const asked = await openRequest(ports, id);
  if (asked === null) return `${head}request ${id} is answered. Call wait.`;
  const text = sanitize(approvalText(asked));
  const isAsked = call.asking !== null && call.asking.answered === null;
  if (isAsked && ports.person !== null && text.length <= ASKED_CHARS_MAX && !asked.inPart)
    return { ask: { id, hash: asked.hash, message: text, properties: formOf(asked) } };
  const { text: shown } = fittingLines([text]);
  return `${head}waiting for ${asked.kind} ${id}\n${shown}\n${howTo(asked)}`;
}

/** Gives the person's answer, if this call brought one. Returns what was done. */
export async function answerOf(ports: ServerPorts, { asking }: ToolCall): Promise<string | null> {
  const { answered = null } = asking ?? {};
  if (answered === null || answered.content === null || ports.person === null) return null;
  const { id, hash, content } = answered;
  const decision = decisionIn(content);
  if (decision === null) return null;
  const person = await ports.person();
  try {
    await person.call("hil.answer", { id, hash, ...decision });
  } catch (error) {
    // Answered elsewhere meanwhile, or changed: what waits now is shown.
    if (error instanceof SysError) return `${id}: not answered (${error.message})`;
    throw error;
  }
  return `${id}: ${decision.decision === "answer" ? "answered" : decision.decision === "approve" ? "approved" : "denied"}`;
}

async function openRequest({ sys }: ServerPorts, id: string): Promise<ShownApproval | null> {
  try {
    return (await sys.call<Listed>("hil.list", { id })).approvals[0] ?? null;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}

function formOf({ kind, args }: ShownApproval): { readonly [name: string]: object } {
  if (kind === "approval")
    return { decision: { type: "string", title: "Decision", enum: CHOICES, description: "approve or deny this call" } };
  const { choices } = args as { readonly choices?: readonly string[] };
  return { answer: { type: "string", title: "Answer", ...(choices !== undefined && { enum: [...choices] }) } };
}

function decisionIn({ decision, answer }: Content): { readonly decision: string; readonly text?: string } | null {
  if (typeof decision === "string" && CHOICES.includes(decision)) return { decision };
  return typeof answer === "string" && answer.trim() !== "" ? { decision: "answer", text: answer } : null;
}

function howTo({ id, kind }: ShownApproval): string {
  if (kind === "question") return `The person answers it in a terminal: gsv answer ${id} TEXT`;
  return `The person decides it in a terminal: gsv approve ${id}, or gsv deny ${id}`;
}
