// The provider without key, network and model: answers questions about gsv from the manual, and carries out simple orders with the
// request's tools. Says that it is not a model. Deterministic: a retried turn gives the same answer.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Message, ToolCall } from "../../abi/process/message.ts";
import { NO_USAGE } from "../../abi/process/process.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../abi/stream.ts";
import type { ManualSection } from "../../prompts/manual.ts";
import { callId, isFailedNote } from "../local.ts";
import { ManualAnswers } from "./manual.ts";
import { presentResults } from "./results.ts";
import { type Exchange, intentOf, type PlannedCall } from "./rules.ts";
import { type Step, stepOf } from "./steps.ts";

const TRY = [
  "Three things to try:",
  "",
  "- `what is running`",
  "- `How do I start a task in the background?`",
  '- `write "call the bank" to ~/notes.md`',
].join("\n");
const GREETING = `Hello. This is gsv with no model set up: I answer from the manual and carry out simple orders. ${TRY}`;
const HELP = `I am not a model. I answer questions about gsv from its manual. I can also read, list, find, write, replace and delete files, run a command, remember a note, summarise my workspace and show what is running. "manual" lists the manual's pages. ${TRY}`;
const THANKS = "You are welcome.";

export interface OfflinePorts {
  readonly manual: () => Promise<readonly ManualSection[]>;
}

export function offlineProvider({ manual }: OfflinePorts): Provider {
  return {
    name: "offline",
    async *stream(request, signal) {
      if (request.purpose === "summary") {
        yield { type: "error", failure: { class: "config", message: "the offline provider cannot write summaries" } };
        return;
      }
      const turn = turnFor(request, ManualAnswers.from(await manual()));
      for (const event of eventsOf(turn, request)) {
        if (signal.aborted) break;
        yield event;
      }
      yield signal.aborted
        ? { type: "aborted" }
        : { type: "done", stop: turn.calls.length > 0 ? "tools" : "end", usage: NO_USAGE };
    },
  };
}

interface Turn {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

function* eventsOf({ text, calls }: Turn, request: ModelRequest): Generator<StreamEvent> {
  if (text !== "") yield { type: "text", text };
  for (const [index, call] of calls.entries()) {
    yield { type: "call.start", index, id: callId("offline", request.messages, index), name: call.name };
    yield { type: "call.delta", index, json: JSON.stringify(call.args) };
  }
}

function turnFor(request: ModelRequest, manual: ManualAnswers): Turn {
  const said = request.messages.findLastIndex((message) => message.role === "assistant");
  const before = request.messages[said];
  const fresh = request.messages.slice(said + 1);
  const results = fresh.flatMap((message) => (message.role === "toolResult" ? [message.content] : []));
  const texts: string[] = [];
  const calls: PlannedCall[] = [];
  const open = results.length > 0 ? openSteps(request, said, manual) : [];
  if (results.length > 0) {
    const covered = open.flatMap((step) => step.covered);
    const rest = results.filter((result) => !covered.includes(result.toolCallId));
    if (rest.length > 0) texts.push(presentResults(callsOf(before), rest));
  }
  for (const step of open) {
    if (step.text !== "") texts.push(step.text);
    calls.push(...step.calls);
  }
  let leftOut = 0;
  const questions = questionsIn(fresh);
  for (const question of questions) {
    const turn = replyTo(question, request, manual, questions.length === 1);
    if (turn.text !== "") texts.push(turn.text);
    if (turn.calls.length === 0) continue;
    // After one order does not fit, skip all later ones: their order matters.
    if (leftOut > 0 || calls.length + turn.calls.length > LIMITS.toolCallsPerTurnMax) leftOut++;
    else calls.push(...turn.calls);
  }
  if (leftOut > 0) texts.push(`Too many orders at once: the last ${leftOut} were skipped. Send them again.`);
  if (texts.length === 0 && calls.length === 0) texts.push(eventText(fresh));
  return { text: texts.join("\n\n"), calls };
}

/** Next steps of the orders that these results belong to. */
function openSteps(request: ModelRequest, said: number, manual: ManualAnswers): Step[] {
  const { messages } = request;
  const done: Exchange[] = [];
  for (let at = said; at >= 0; ) {
    const turn = messages[at];
    const calls = callsOf(turn);
    if (calls.length === 0) return [];
    const next = messages.findIndex(({ role }, index) => index > at && role === "assistant");
    const answers = messages.slice(at + 1, next === -1 ? undefined : next);
    done.unshift(...answers.flatMap((message) => exchangeOf(calls, message)));
    const earlier = messages.findLastIndex(({ role }, index) => index < at && role === "assistant");
    const orders = questionsIn(messages.slice(earlier + 1, at));
    // With several orders at once, the results cannot be assigned to one of them; each was a single step.
    if (orders.length > 1) return [];
    const [order] = orders;
    if (order !== undefined) {
      const step = stepFor(order, done, request, manual);
      if (!step?.withManual || step.calls.length > 0) return step === null ? [] : [step];
      return [{ ...step, text: [step.text, manual.answer(orderIn(order))].filter((text) => text !== "").join("\n\n") }];
    }
    at = earlier;
  }
  return [];
}

function exchangeOf(calls: readonly ToolCall[], message: Message): Exchange[] {
  if (message.role !== "toolResult") return [];
  const call = calls.find(({ id }) => id === message.content.toolCallId);
  return call === undefined ? [] : [{ call, result: message.content }];
}

function callsOf(message: Message | undefined) {
  return message?.role === "assistant" ? (message.content.toolCalls ?? []) : [];
}

// All unanswered messages. Those before a failure belong to a finished run.
function questionsIn(fresh: readonly Message[]): string[] {
  const after = fresh.slice(fresh.findLastIndex(isFailedNote) + 1);
  return after.flatMap((message) => (message.role === "user" ? [message.content] : []));
}

// Text from stdin follows the message in a block of its own.
function orderIn(message: string): string {
  return message.split(/(?<!\n)\n+<stdin\b/, 1)[0] ?? "";
}

function stepFor(
  message: string,
  done: readonly Exchange[],
  request: ModelRequest,
  manual: ManualAnswers,
): Step | null {
  const order = orderIn(message);
  if (manual.titled(order) !== null) return null;
  return stepOf(order, done, request, () => intentOf(order).kind === "question" && !manual.isClear(order));
}

function replyTo(message: string, request: ModelRequest, manual: ManualAnswers, isAlone: boolean): Turn {
  const order = orderIn(message);
  // "Find text in files" is a title and looks like an order.
  const titled = manual.titled(order);
  if (titled !== null) return { text: titled, calls: [] };
  const step = stepFor(message, [], request, manual);
  const intent = intentOf(order);
  if (step !== null && isAlone) return step;
  if (step !== null && !step.withManual)
    return { text: `That takes several steps. Send it alone: ${order.slice(0, 200)}`, calls: [] };
  switch (intent.kind) {
    case "greeting":
      return { text: GREETING, calls: [] };
    case "help":
      return { text: HELP, calls: [] };
    case "thanks":
      return { text: THANKS, calls: [] };
    case "question":
      return { text: manual.answer(order), calls: [] };
    case "calls": {
      const missing = intent.calls.find((call) => !request.tools.some((tool) => tool.name === call.name));
      if (missing === undefined) return { text: "", calls: intent.calls };
      return { text: `I cannot do that here: this process has no tool called ${missing.name}.`, calls: [] };
    }
  }
}

function eventText(fresh: readonly Message[]): string {
  const event = fresh.findLast((message) => message.role === "system");
  if (event?.role !== "system") return "There is nothing new to answer.";
  return `Noted: ${event.content.split("\n", 1)[0] ?? ""}`;
}
