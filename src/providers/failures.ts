// What went wrong at a model server, as one of the classes that decide what happens next. Told by the status, the error's own type or code
// and the codes down the chain of causes; the words of a message decide nothing, but for the openings that servers without a code
// have for a request that is too long. What is told of it is one line, clipped, without the key.

import type { Failure, FailureClass } from "../abi/stream.ts";
import { Redactor } from "../lib/text/redact.ts";
import { parsed, recordOf } from "./json.ts";
import { FrameTooLong } from "./sse.ts";

const MESSAGE_CHARS_MAX = 400;
const RETRY_MS_MAX = 24 * 60 * 60 * 1000;

/** Thrown on the way to an answer and told as its last event. */
export class WireFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export interface ServerError {
  readonly status: number;
  readonly headers: Headers;
  /** The body, or its beginning. */
  readonly body: string;
  readonly now: number;
}

/** What a server's error says of itself, whichever of the usual shapes it has. */
interface Told {
  readonly kinds: readonly string[];
  readonly message: string;
}

const QUOTA = ["insufficient_quota", "enforced_spend_limit_reached", "billing_error", "billing_hard_limit_reached"];
const OVERFLOW = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "request_too_large",
  "string_above_max_length",
];
const CONTENT = ["content_filter", "content_policy_violation", "safety"];
/** The type of an error that came within an answer that had begun well. */
const OF_KIND: { readonly [kind: string]: FailureClass } = {
  overloaded_error: "outage",
  api_error: "outage",
  server_error: "outage",
  internal_error: "outage",
  timeout_error: "timeout",
  rate_limit_error: "throttle",
  rate_limit_exceeded: "throttle",
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  invalid_request_error: "request",
  not_found_error: "request",
  model_not_found: "request",
};
// Servers that have no code for it; anchored, because further in a message may quote anything.
const TOO_LONG = /^(?:prompt is too long|input length and `?max_tokens`? exceed|this model's maximum context length)/i;

export function statusFailure(error: ServerError): Failure {
  const { status } = error;
  const told = toldBy(error.body);
  const message = `the server answered ${status}${told.message === "" ? "" : `: ${told.message}`}`;
  const retryAfterMs = retryAfter(error.headers, error.now);
  const failureClass = classOfStatus(status, told, error.headers);
  const waits = retryAfterMs !== null && failureClass !== "quota";
  return { class: failureClass, message, ...(waits ? { retryAfterMs } : {}) };
}

function classOfStatus(status: number, told: Told, headers: Headers): FailureClass {
  if (told.kinds.some((kind) => QUOTA.includes(kind)) || status === 402) return "quota";
  if (status === 429) return isThrottle(told, headers) ? "throttle" : "quota";
  if (status === 401 || status === 403) return "auth";
  if (status === 408) return "timeout";
  if (status >= 500 || status === 409 || status === 425) return "outage";
  if (status === 413 || isTooLong(told)) return "overflow";
  if (told.kinds.some((kind) => CONTENT.includes(kind))) return "content";
  return status >= 400 ? "request" : "network";
}

// A limit of so much a minute says when it is over; what says nothing is a limit that does not pass by waiting.
function isThrottle({ kinds }: Told, headers: Headers): boolean {
  if (headers.has("retry-after") || headers.has("retry-after-ms") || kinds.includes("rate_limit_exceeded")) return true;
  return [...headers.keys()].some((name) => /ratelimit.*-reset/.test(name));
}

function isTooLong({ kinds, message }: Told): boolean {
  return kinds.some((kind) => OVERFLOW.includes(kind)) || TOO_LONG.test(message);
}

/** An error that a server reported in the middle of an answer, with status 200. */
export function toldFailure(value: unknown): Failure {
  const told = toldBy(value);
  const message =
    told.message === "" ? `the server broke the answer off (${told.kinds[0] ?? "no reason"})` : told.message;
  if (told.kinds.some((kind) => QUOTA.includes(kind))) return { class: "quota", message };
  if (isTooLong(told)) return { class: "overflow", message };
  if (told.kinds.some((kind) => CONTENT.includes(kind))) return { class: "content", message };
  const kind = told.kinds.find((each) => Object.hasOwn(OF_KIND, each));
  if (kind !== undefined) return { class: OF_KIND[kind] ?? "outage", message };
  // Some servers give the status they would have answered with.
  const status = Number(told.kinds.find((each) => /^[45]\d\d$/.test(each)) ?? 500);
  return { class: classOfStatus(status, told, new Headers({ "retry-after": "" })), message };
}

function toldBy(given: unknown): Told {
  const value = typeof given === "string" ? parsed(given) : given;
  const outer = recordOf(value);
  const error = recordOf(outer?.error) ?? outer;
  if (error === null) return { kinds: [], message: "" };
  const kinds = [error.type, error.code, error.status].filter(
    (kind) => typeof kind === "string" || typeof kind === "number",
  );
  const message = typeof outer?.error === "string" ? outer.error : error.message;
  return { kinds: kinds.map(String), message: typeof message === "string" ? message : "" };
}

/** What was thrown on the way: no connection, a broken one, or a fault of ours. */
export function thrownFailure(error: unknown): Failure {
  const chain = causesOf(error);
  const wire = chain.find((each) => each instanceof WireFailure);
  if (wire instanceof WireFailure) return wire.failure;
  const long = chain.find((each) => each instanceof FrameTooLong);
  if (long !== undefined) return { class: "protocol", message: long.message };
  const codes = chain.flatMap((each) => ("code" in each && typeof each.code === "string" ? [each.code] : []));
  const code = codes.at(-1);
  const certificate = codes.find((each) => CERTIFICATE.test(each));
  if (certificate !== undefined) {
    return {
      class: "config",
      message: `the server's certificate is not to be trusted (${certificate}): check the clock and the address`,
    };
  }
  if (codes.some((each) => OFFLINE.includes(each)))
    return { class: "network", message: `this machine has no network (${code})`, isOffline: true };
  return {
    class: "network",
    message: `no connection to the model server (${code ?? chain.at(-1)?.message ?? "no reason"})`,
  };
}

/** No way there, or nobody who could name one: not the server's fault. */
const OFFLINE: readonly string[] = ["ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL", "EAI_AGAIN"];

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS_CERT/;

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 10; each = each.cause) chain.push(each);
  return chain;
}

/** Null where a server says nothing about it, or nothing that can be. */
function retryAfter(headers: Headers, now: number): number | null {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return Math.min(ms, RETRY_MS_MAX);
  const text = headers.get("retry-after")?.trim() ?? "";
  if (text === "") return null;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? Math.min(seconds * 1000, RETRY_MS_MAX) : null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), RETRY_MS_MAX);
}

/** One line for people, whatever a server wrote, without the key it was sent. */
export function tellable(failure: Failure, apiKey: string | null): Failure {
  const redactor = new Redactor();
  if (apiKey !== null) redactor.add(apiKey);
  const line = redactor.text(failure.message).replace(/\s+/g, " ").trim();
  const message = line.length > MESSAGE_CHARS_MAX ? `${line.slice(0, MESSAGE_CHARS_MAX - 1).toWellFormed()}…` : line;
  return { ...failure, message };
}
