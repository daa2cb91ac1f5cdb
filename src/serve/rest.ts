// The syscalls over HTTP: `POST /api/call/NAME` with the arguments as a JSON object. An error is a problem document (RFC 9457) with the code and
// hints of gsv. `Idempotency-Key` is the request id of a call that changes something.

import { type Code, messageOf, SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import type { Sys } from "../abi/sys.ts";

const STATUS: { readonly [K in Code]?: number } = {
  EUSAGE: 400,
  EINVAL: 400,
  EPROTO: 400,
  EAUTH: 401,
  EPERM: 403,
  EACCES: 403,
  EROFS: 403,
  ESRCH: 404,
  ENOENT: 404,
  ENOSYS: 404,
  ECONFLICT: 409,
  EEXIST: 409,
  EBUSY: 409,
  EDEADLK: 409,
  ESTALE: 409,
  EFBIG: 413,
  EBLOCKED: 423,
  ELIMIT: 429,
  EAGAIN: 503,
  ENOSPC: 503,
  ETIMEDOUT: 504,
};
const RETRY_SECONDS = "1";
const LOGIN_LASTS = "30d";
const KEY_CHARS_MAX = 200;

/** Opens the kernel for one request. */
export type Open = (credentials: Credentials) => Promise<Sys>;

export async function answerCall(request: Request, name: string, open: () => Promise<Sys>): Promise<Response> {
  if (request.method !== "POST") return problem(405, "EUSAGE", "calls are made with POST");
  return await answered(async () => {
    const args = await objectIn(request);
    const requestId = keyOf(request);
    const sys = await open();
    try {
      const value = await sys.call(name, args, {
        signal: request.signal,
        ...(requestId !== undefined && { requestId }),
      });
      return json(200, value ?? null);
    } finally {
      await sys.close();
    }
  });
}

/** A name and a password become a token for 30 days. */
export async function answerLogin(request: Request, open: Open): Promise<Response> {
  return await answered(async () => {
    const { user, password, label } = await objectIn(request);
    if (typeof user !== "string" || typeof password !== "string")
      throw new SysError("EINVAL", "give user and password as texts");
    const sys = await open({ user, password });
    try {
      const title = typeof label === "string" ? label : "login over the network";
      return json(200, await sys.call("sys.token.create", { label: title, expires: LOGIN_LASTS }));
    } finally {
      await sys.close();
    }
  });
}

export function problem(status: number, code: Code | null, detail: string, hints: readonly string[] = []): Response {
  const body = { type: "about:blank", title: TITLES[status] ?? "Error", status, detail, ...(code && { code }), hints };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: {
      ...HEADERS,
      "content-type": "application/problem+json",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...(status === 503 && { "retry-after": RETRY_SECONDS }),
    },
  });
}

export function json(status: number, value: unknown): Response {
  const headers = { ...HEADERS, "content-type": "application/json" };
  return new Response(`${JSON.stringify(value)}\n`, { status, headers });
}

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
};

const TITLES: { readonly [status: number]: string } = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  423: "Locked",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

async function answered(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    // Anything else is a fault, which the listener logs.
    if (!(error instanceof SysError)) throw error;
    return problem(STATUS[error.code] ?? 500, error.code, messageOf(error), error.hints);
  }
}

async function objectIn(request: Request): Promise<{ readonly [name: string]: unknown }> {
  const text = await request.text();
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new SysError("EINVAL", "the body is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SysError("EINVAL", "the body must be a JSON object");
  return value as { readonly [name: string]: unknown };
}

/** Quoted as in the draft of the standard, or bare. */
function keyOf(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key")?.replace(/^"(.*)"$/, "$1");
  if (key !== undefined && (key === "" || key.length > KEY_CHARS_MAX))
    throw new SysError("EINVAL", `Idempotency-Key must have 1 to ${KEY_CHARS_MAX} characters`);
  return key;
}
