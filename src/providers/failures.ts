// Classifies errors of a model server; the class decides what happens next. Uses the status, the error's type or code, and the codes in
// its cause chain. Message text counts only for "request too long", for which some servers have no code. Messages are clipped to
// one line, without the key.

import type { Failure, FailureClass } from "../abi/stream.ts";
import { Redactor } from "../lib/text/redact.ts";
import { parsed, recordOf } from "./json.ts";
import { FrameTooLong } from "./sse.ts";

const MESSAGE_CHARS_MAX = 400;
const RETRY_MS_MAX = 24 * 60 * 60 * 1000;

/** Becomes the last event of the answer. */
export class WireFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export interface ServerError {
  readonly status: number;
  readonly headers: Headers;
  /** The body, possibly truncated. */
  readonly body: string;
  readonly now: number;
}

/** Type, code and message of an error body, in any of the usual shapes. */
interface ErrorFields {
  readonly kinds: readonly string[];
  readonly message: string;
}

/** The status that an overload has before a stream begins. */
const OVERLOADED = 529;
const QUOTA = ["insufficient_quota", "enforced_spend_limit_reached", "billing_error", "billing_hard_limit_reached"];
const OVERFLOW = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "request_too_large",
  "string_above_max_length",
];
const CONTENT = ["content_filter", "content_policy_violation", "safety"];
/** Types of errors in the middle of a stream. */
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
  model_not_found: "model",
};
// For servers without a code. Anchored: a message may quote anything.
const TOO_LONG = /^(?:prompt is too long|input length and `?max_tokens`? exceed|this model's maximum context length)/i;

export function statusFailure(error: ServerError): Failure {
  const { status } = error;
  const fields = errorFields(error.body);
  const message = `the server answered ${status}${fields.message === "" ? "" : `: ${fields.message}`}`;
  const retryAfterMs = retryAfter(error.headers, error.now);
  const failureClass = classOfStatus(status, fields, error.headers);
  const waits = retryAfterMs !== null && failureClass !== "quota";
  return { class: failureClass, message, status, ...(waits ? { retryAfterMs } : {}) };
}

function classOfStatus(status: number, fields: ErrorFields, headers: Headers): FailureClass {
  if (fields.kinds.some((kind) => QUOTA.includes(kind)) || status === 402) return "quota";
  // Some servers say that a retry is useless.
  if (status === 429) return headers.get("x-should-retry") === "false" ? "quota" : "throttle";
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || fields.kinds.includes("model_not_found")) return "model";
  if (status === 408) return "timeout";
  if (status >= 500 || status === 409 || status === 425) return "outage";
  if (status === 413 || isTooLong(fields)) return "overflow";
  if (fields.kinds.some((kind) => CONTENT.includes(kind))) return "content";
  return status >= 400 ? "request" : "network";
}

function isTooLong({ kinds, message }: ErrorFields): boolean {
  return kinds.some((kind) => OVERFLOW.includes(kind)) || TOO_LONG.test(message);
}

/** An error in the middle of an answer with status 200. */
export function streamFailure(value: unknown): Failure {
  const fields = errorFields(value);
  const message =
    fields.message === "" ? `the server broke the answer off (${fields.kinds[0] ?? "no reason"})` : fields.message;
  if (fields.kinds.some((kind) => QUOTA.includes(kind))) return { class: "quota", message };
  if (isTooLong(fields)) return { class: "overflow", message };
  if (fields.kinds.some((kind) => CONTENT.includes(kind))) return { class: "content", message };
  const kind = fields.kinds.find((each) => Object.hasOwn(OF_KIND, each));
  if (kind !== undefined) {
    const overloaded = kind === "overloaded_error" ? { status: OVERLOADED } : {};
    return { class: OF_KIND[kind] ?? "outage", message, ...overloaded };
  }
  // Some servers include an HTTP status.
  const status = fields.kinds.find((each) => /^[45]\d\d$/.test(each));
  const failureClass = classOfStatus(Number(status ?? 500), fields, new Headers());
  return { class: failureClass, message, ...(status === undefined ? {} : { status: Number(status) }) };
}

function errorFields(given: unknown): ErrorFields {
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

/** Errors thrown while requesting: no connection, a lost one, or an internal error. */
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
      message: `the server's certificate is not trusted (${certificate}): check the clock and the address`,
    };
  }
  if (codes.some((each) => OFFLINE.includes(each)))
    return { class: "network", message: `this computer has no network (${code})`, isOffline: true };
  const spoken = codes.find((each) => Object.hasOwn(SPOKEN, each));
  if (spoken !== undefined) return { class: "server", message: SPOKEN[spoken] ?? "" };
  // Without a code it is a sentence of an SDK, which helps nobody.
  if (code === undefined) return { class: "network", message: "no connection to the model server" };
  return { class: "network", message: `no connection to the model server (${code})` };
}

/** The address speaks another protocol. */
const SPOKEN: { readonly [code: string]: string } = {
  Malformed_HTTP_Response: "the model server does not speak HTTP",
  InvalidHTTPResponse: "the model server does not speak HTTP",
  EPROTO: "the model server does not speak TLS",
};

/** No route or no DNS: not the server's fault. */
const OFFLINE: readonly string[] = ["ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL", "EAI_AGAIN"];

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS_CERT/;

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 10; each = each.cause) chain.push(each);
  return chain;
}

/** Null if absent or invalid. */
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

/** One clipped line, without the key. */
export function publicFailure(failure: Failure, apiKey: string | null): Failure {
  const redactor = new Redactor();
  if (apiKey !== null) redactor.add(apiKey);
  const line = redactor.text(failure.message).replace(/\s+/g, " ").trim();
  const message = line.length > MESSAGE_CHARS_MAX ? `${line.slice(0, MESSAGE_CHARS_MAX - 1).toWellFormed()}…` : line;
  return { ...failure, message };
}
