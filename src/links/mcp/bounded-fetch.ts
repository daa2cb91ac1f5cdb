// `fetch` for MCP servers: bodies and lines have a largest size, silence has none, and a server that asks for patience gets it.

import type { Clock } from "../../lib/clock.ts";

interface BoundedFetch {
  readonly clock: Clock;
  /** A stream of events has ended. */
  readonly onEnd?: () => void;
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const BODY_BYTES_MAX = 64 * 1024 * 1024;
const BREATH_BYTES = 1024 * 1024;
const NEWLINE = 10;
const TOO_MANY = 429;
const TRIES = 3;
/** A server that wants more gets an error in the result of its call. */
const PATIENCE_MS = 20_000;

export function boundedFetch({ clock, onEnd }: BoundedFetch): Fetch {
  return async (url, init) => {
    for (let tries = 1; ; tries++) {
      // Bun ends a response that is silent for six minutes; calls may take longer.
      const response = await fetch(url, { ...init, timeout: false } as RequestInit);
      const waitMs = response.status === TOO_MANY ? retryMs(response.headers.get("retry-after"), clock.now()) : null;
      if (waitMs === null || waitMs > PATIENCE_MS || tries === TRIES) return bounded(response, onEnd);
      // Refused, so not carried out: sending it again is safe.
      await response.body?.cancel();
      await clock.sleep(waitMs, init?.signal ?? undefined);
    }
  };
}

/** Seconds or an instant; null without one. */
function retryMs(said: string | null, now: number): number | null {
  if (said === null) return null;
  const ms = /^\d+$/.test(said.trim()) ? Number(said) * 1000 : Date.parse(said) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function bounded(response: Response, onEnd: (() => void) | undefined): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let bytes = 0;
  let since = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        since += chunk.length;
        if (since > BREATH_BYTES) {
          since = 0;
          // A server that sends without pause must not keep the kernel from all other work.
          await new Promise((resolve) => setImmediate(resolve));
        }
        const newline = isStream ? chunk.lastIndexOf(NEWLINE) : -1;
        bytes = newline === -1 ? bytes + chunk.length : chunk.length - newline;
        if (bytes > BODY_BYTES_MAX)
          controller.error(new Error(`the response is larger than ${BODY_BYTES_MAX / 1024 / 1024} MiB`));
        else controller.enqueue(chunk);
      },
      flush: () => void (isStream && onEnd?.()),
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
