// Receives the redirect at the end of a sign-in, on a port of this computer that only this computer reaches.

import type { BrowserAnswer } from "../../../commands/command.ts";
import { SysError } from "../../abi/errno.ts";

const PATH = "/oauth/callback";
const PAGE = `<!doctype html><meta charset="utf-8"><title>gsv</title><p>gsv has the answer. You can close this page.</p>\n`;
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

export function listen(port: number): BrowserAnswer {
  const answer = Promise.withResolvers<string>();
  let expected: string | null = null;
  const server = served(port, (request) => {
    const url = URL.parse(request.url);
    const isOurs =
      request.method === "GET" &&
      url?.pathname === PATH &&
      request.headers.get("host") === `127.0.0.1:${server.port}` &&
      expected !== null &&
      url.searchParams.get("state") === expected;
    if (!isOurs) return new Response("not found\n", { status: 404 });
    answer.resolve(url.href);
    return new Response(PAGE, { headers: PAGE_HEADERS });
  });
  return {
    redirectUri: `http://127.0.0.1:${server.port}${PATH}`,
    answer(state) {
      expected = state;
      return answer.promise;
    },
    // The page is still on its way.
    close: () => void server.stop(false),
  };
}

function served(port: number, fetch: (request: Request) => Response) {
  try {
    return Bun.serve({ hostname: "127.0.0.1", port, fetch, idleTimeout: 10 });
  } catch (error) {
    const { code } = error as { code?: unknown };
    const why = code === "EADDRINUSE" ? "another program uses it" : String(code);
    throw new SysError("EBUSY", `cannot wait for the browser on port ${port}: ${why}`, ["--port N names another port"]);
  }
}
