// The parts of all model servers' bodies: content as events, lines and errors.

import type { Usage } from "../../src/abi/process/process.ts";
import type { Provider } from "../../src/abi/stream.ts";
import type { Access } from "../../src/providers/access.ts";
import type { WireReply } from "./wire-server.ts";

export interface Spoken {
  readonly text?: readonly string[];
  readonly thinking?: readonly string[];
  /** Arguments in pieces. */
  readonly calls?: readonly { readonly name: string; readonly json: readonly string[] }[];
  readonly stop?: "length" | "refusal";
  readonly usage?: Partial<Usage>;
  /** Events and fields that no client knows, in between. */
  readonly strange?: true;
}

export interface Wire {
  readonly name: string;
  readonly model: string;
  readonly type: string;
  /** The path of the request. */
  readonly path: string;
  readonly provider: (access: Access) => Provider;
  readonly body: (spoken: Spoken) => string;
  /** An error in the middle of an answer, in the server's words. */
  readonly broken: (kind: "overloaded" | "overflow") => string;
  /** The body of an error by its status. */
  readonly error: (kind: ErrorKind) => WireReply;
}

export type ErrorKind =
  | "throttle"
  | "quota"
  | "overloaded"
  | "internal"
  | "auth"
  | "forbidden"
  | "request"
  | "absent"
  | "overflow";

const STATUS: { readonly [K in ErrorKind]: number } = {
  throttle: 429,
  quota: 429,
  overloaded: 529,
  internal: 500,
  auth: 401,
  forbidden: 403,
  request: 400,
  absent: 404,
  overflow: 400,
};

export const KEY = "key-of-the-tests-0123456789";

export function accessOf(baseUrl: string, more: Partial<Access> = {}): Access {
  return {
    apiKey: KEY,
    keyFrom: null,
    baseUrl,
    isOwn: false,
    reasoning: "medium",
    maxTokens: 4096,
    windowTokens: 100_000,
    silenceMs: 300_000,
    totalMs: 1_800_000,
    style: "auto",
    parallel: 0,
    ...more,
  };
}

export function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
}

export function data(value: object | string): string {
  return `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
}

export function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

export function errorReply(kind: ErrorKind, body: object): WireReply {
  const headers: WireReply["headers"] = kind === "throttle" ? { "retry-after": "7" } : {};
  return { status: STATUS[kind], type: "application/json", headers, body: JSON.stringify(body) };
}
