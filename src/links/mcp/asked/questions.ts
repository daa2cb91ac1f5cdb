// What an MCP server asks for during a call, as questions to a person: forms field by field, pages to open, and the use of a model. Secrets are
// never asked for: such a form is declined, and the result of the call says so. What was answered so far is plain data, so that the next
// kernel can go on with it.

import { messageOf } from "../../../abi/errno.ts";
import { reveal, revealLines } from "../../../lib/text/sanitize.ts";
import { isLoopbackHost } from "../../oauth/wire.ts";
import { defaultsOf, type FormField, fieldsOf, isTyped, secretField, type Values, valueFrom } from "./forms.ts";
import { type Sampled, type SamplingRequest, samplingFrom, samplingQuestion } from "./sampling.ts";
import { namesSecret } from "./secret-words.ts";

export interface ServerRequest {
  readonly method: string;
  readonly params?: { readonly [name: string]: unknown };
}

export interface Held {
  /** live: the call waits in the memory of this kernel. stored: the server holds nothing. again: it refused until it gets what it asks for. */
  readonly how: "live" | "stored" | "again";
  readonly requests: { readonly [key: string]: ServerRequest };
  /** Comes back to the server as it is. */
  readonly state: string | null;
  readonly answers: { readonly [key: string]: object };
  /** Of the form that a person fills now: the field asked for, and the values before it. */
  readonly form: { readonly at: number; readonly values: Values } | null;
  /** How often the server has asked under this call. */
  readonly rounds: number;
  /** What was declined, for the result of the call. */
  readonly notes: readonly string[];
}

export type Step =
  | { readonly kind: "ask"; readonly question: string; readonly choices?: readonly string[]; readonly held: Held }
  | { readonly kind: "answered"; readonly held: Held }
  /** There is no answer that says no. */
  | { readonly kind: "refused"; readonly why: string; readonly held: Held };

export interface QuestionPorts {
  readonly server: string;
  readonly sample: (request: SamplingRequest) => Promise<Sampled>;
}

/** Of one request. */
type Part =
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly choices?: readonly string[];
      readonly form: Held["form"];
    }
  | { readonly kind: "answer"; readonly answer: object; readonly note?: string }
  | { readonly kind: "refuse"; readonly why: string };

const ROUNDS_MAX = 10;
const MESSAGE_CHARS = 1500;
const URL_CHARS_MAX = 2000;
const DECLINE = "(decline)";
const DEFAULTS = "(use the defaults)";
/** In place of a text. */
const LEAVE_OUT = "-";
/** Among choices. */
const NONE = "(leave out)";
const DEFAULT = "(the default)";
const DONE = "done";
const FILL = "fill in";
const ACCEPT = "accept";
const ALLOW = "allow once";

/** `said`: the answer to the last question; null if nobody answered, undefined if nothing was asked yet. */
export async function advance(ports: QuestionPorts, given: Held, said: string | null | undefined): Promise<Step> {
  let held = given;
  let answer = said;
  if (held.rounds > ROUNDS_MAX)
    return { kind: "refused", why: `${ports.server} asked more than ${ROUNDS_MAX} times`, held };
  for (const [key, request] of Object.entries(held.requests)) {
    if (Object.hasOwn(held.answers, key)) continue;
    const part = await partOf(ports, request, held.form, answer);
    answer = undefined;
    if (part.kind === "refuse") return { kind: "refused", why: part.why, held };
    if (part.kind === "ask") {
      const { question, choices, form } = part;
      return { kind: "ask", question, ...(choices !== undefined && { choices }), held: { ...held, form } };
    }
    const notes = part.note === undefined ? held.notes : [...new Set([...held.notes, part.note])];
    held = { ...held, answers: { ...held.answers, [key]: part.answer }, form: null, notes };
  }
  return { kind: "answered", held };
}

async function partOf(
  ports: QuestionPorts,
  { method, params = {} }: ServerRequest,
  form: Held["form"],
  said: string | null | undefined,
): Promise<Part> {
  if (method === "roots/list") return { kind: "answer", answer: { roots: [] } };
  if (method === "sampling/createMessage") return await samplingPart(ports, params, said);
  if (method !== "elicitation/create") return { kind: "refuse", why: `${ports.server} asked for ${reveal(method)}` };
  const message = revealLines(String(params.message ?? "")).slice(0, MESSAGE_CHARS);
  if (params.mode === "url") return pagePart(ports, message, String(params.url ?? ""), said);
  return formPart(ports, { message, fields: fieldsOf(params.requestedSchema) }, form, said);
}

function pagePart({ server }: QuestionPorts, message: string, address: string, said: string | null | undefined): Part {
  const url = URL.parse(address);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (url === null || !isSafe || url.username !== "" || url.password !== "" || url.href.length > URL_CHARS_MAX)
    return declined(`${server} asked to open ${reveal(address).slice(0, 200)}; declined: not a plain https address`);
  if (said === DONE) return { kind: "answer", answer: { action: "accept" } };
  if (said === DECLINE) return { kind: "answer", answer: { action: "decline" } };
  if (said === null) return cancelled(server);
  const lines = [
    `${server} (MCP server) asks you to open a page: ${message}`,
    `host: ${url.host}`,
    url.href,
    `gsv does not open it. Open it yourself, then answer ${DONE}.`,
  ];
  return { kind: "ask", question: lines.join("\n"), choices: [DONE, DECLINE], form: null };
}

async function samplingPart(
  ports: QuestionPorts,
  params: ServerRequest["params"],
  said: string | null | undefined,
): Promise<Part> {
  const request = samplingFrom(params ?? {});
  if ("wrong" in request) return { kind: "refuse", why: `${ports.server} asked the model: ${request.wrong}` };
  if (said === undefined)
    return { kind: "ask", question: samplingQuestion(ports.server, request), choices: [ALLOW, DECLINE], form: null };
  if (said !== ALLOW) return { kind: "refuse", why: `the use of your model by ${ports.server} was declined` };
  try {
    const { model, text, isCut } = await ports.sample(request);
    const content = { type: "text", text };
    const stopReason = isCut ? "maxTokens" : "endTurn";
    return { kind: "answer", answer: { role: "assistant", content, model, stopReason } };
  } catch (error) {
    return { kind: "refuse", why: `your model did not answer ${ports.server}: ${messageOf(error)}` };
  }
}

interface Form {
  readonly message: string;
  readonly fields: readonly FormField[] | null;
}

function formPart(
  { server }: QuestionPorts,
  { message, fields }: Form,
  form: Held["form"],
  said: string | null | undefined,
): Part {
  if (fields === null) return declined(`${server} asked with a form that gsv cannot show; declined`);
  const secret = secretField(fields);
  if (secret !== null || (fields.some(isTyped) && namesSecret(message)))
    return declined(
      `${server} asked for a secret (${secret?.label ?? message.slice(0, 100)}); declined: a form is no place for secrets`,
    );
  if (said === null) return cancelled(server);
  if (said === DECLINE) return { kind: "answer", answer: { action: "decline" } };
  const head = `${server} (MCP server) asks: ${message}`;
  const [only] = fields;
  if (only === undefined) {
    if (said === ACCEPT) return { kind: "answer", answer: { action: "accept", content: {} } };
    return { kind: "ask", question: head, choices: [ACCEPT, DECLINE], form: null };
  }
  if (form === null) {
    if (said === DEFAULTS) return { kind: "answer", answer: { action: "accept", content: defaultsOf(fields) ?? {} } };
    if (said === FILL) return fieldPart(fields, { at: 0, values: {} }, "");
    if (fields.length === 1 && hasChoices(only)) return fieldPart(fields, { at: 0, values: {} }, `${head}\n`);
    const names = fields.map((field) => `  ${nameOf(field)}`);
    const choices = [FILL, ...(defaultsOf(fields) === null ? [] : [DEFAULTS]), DECLINE];
    return { kind: "ask", question: [head, ...names].join("\n"), choices, form: null };
  }
  return filledPart(fields, form, said ?? "");
}

/** Takes the answer to a field, and asks for the next one. */
function filledPart(fields: readonly FormField[], { at, values }: NonNullable<Held["form"]>, said: string): Part {
  const field = fields[at]!;
  const isLeft = [LEAVE_OUT, NONE, DEFAULT].includes(said.trim());
  const isLeftOut = isLeft && (field.fallback !== undefined || !field.isRequired);
  const taken = isLeftOut ? { value: field.fallback } : valueFrom(field, said);
  if ("wrong" in taken) return fieldPart(fields, { at, values }, `${taken.wrong}\n`);
  const next = taken.value === undefined ? values : { ...values, [field.name]: taken.value };
  if (at + 1 < fields.length) return fieldPart(fields, { at: at + 1, values: next }, "");
  return { kind: "answer", answer: { action: "accept", content: next } };
}

function fieldPart(fields: readonly FormField[], form: NonNullable<Held["form"]>, head: string): Part {
  const field = fields[form.at]!;
  const { about, fallback, isRequired, options } = field;
  const [none, leave] =
    fallback !== undefined
      ? [[DEFAULT], `${LEAVE_OUT} takes the default`]
      : isRequired
        ? [[], ""]
        : [[NONE], `${LEAVE_OUT} leaves it out`];
  const listed = field.kind === "choices" ? options.map(({ label }, at) => `${at + 1} ${label}`).join("   ") : "";
  const lines = [`${head}${nameOf(field)}`, about, listed, ...(hasChoices(field) ? [] : [leave])];
  const question = lines.filter((line) => line !== "").join("\n");
  if (!hasChoices(field)) return { kind: "ask", question, form };
  return { kind: "ask", question, choices: [...options.map(({ label }) => label), ...none, DECLINE], form };
}

/** A person chooses one of them. */
function hasChoices({ kind }: FormField): boolean {
  return kind === "choice" || kind === "yes or no";
}

function nameOf({ label, kind, isRequired, fallback }: FormField): string {
  const shown = fallback === undefined ? "" : `, default ${reveal(JSON.stringify(fallback)).slice(0, 100)}`;
  return `${label} (${kind}${isRequired ? "" : ", optional"}${shown})`;
}

function declined(note: string): Part {
  return { kind: "answer", answer: { action: "decline" }, note };
}

function cancelled(server: string): Part {
  return { kind: "answer", answer: { action: "cancel" }, note: `${server} asked a question that nobody answered` };
}
