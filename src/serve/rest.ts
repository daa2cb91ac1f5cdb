// Answers in JSON. An error is a problem document (RFC 9457) with the code and hints of gsv.

import { type Code, messageOf, SysError, TooSoon } from "../abi/errno.ts";

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
  EISDIR: 409,
  ENOTDIR: 409,
  ELOOP: 409,
  ENAMETOOLONG: 400,
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

export function leavingNow(): Response {
  return problem(503, "EAGAIN", "this kernel is leaving; the next one answers in a moment");
}

export function problem(
  status: number,
  code: Code | null,
  detail: string,
  hints: readonly string[] = [],
  allow?: string,
): Response {
  const body = { type: "about:blank", title: TITLES[status] ?? "Error", status, detail, ...(code && { code }), hints };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: {
      ...HEADERS,
      "content-type": "application/problem+json",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...(allow !== undefined && { allow }),
      ...(status === 426 && { upgrade: "websocket" }),
      ...(status === 503 && { "retry-after": RETRY_SECONDS }),
    },
  });
}

export function json(status: number, value: unknown, more: { readonly [name: string]: string } = {}): Response {
  const headers = { ...HEADERS, "content-type": "application/json", ...more };
  return new Response(`${JSON.stringify(value)}\n`, { status, headers });
}

export const HEADERS = {
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
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  423: "Locked",
  426: "Upgrade Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** null for a fault of gsv. */
export function problemOf(error: unknown): Response | null {
  if (!(error instanceof SysError)) return null;
  const status = error instanceof TooSoon ? 429 : (STATUS[error.code] ?? 500);
  const response = problem(status, error.code, messageOf(error), error.hints);
  if (error instanceof TooSoon) response.headers.set("retry-after", String(Math.ceil(error.retryMs / 1000)));
  return response;
}
