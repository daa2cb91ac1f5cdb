// All routes of the listener, as one table. The first row that fits decides; the door lets nothing in that has no row here.

import { API_ROUTES } from "./api/api-routes.ts";
import { answerConsole } from "./console/answer.ts";
import { answerLogin, answerLogout } from "./login.ts";
import { answerMetrics } from "./metrics/metrics.ts";
import { answerPublic } from "./public.ts";
import { json, leavingNow, problem } from "./rest.ts";
import type { Route, Visit } from "./route.ts";

export const ROUTES: readonly Route[] = [
  {
    ...{ path: "/healthz", methods: ["GET"], who: "public", body: "none", isLasting: true },
    answer: ({ version, protocol }) => json(200, { ...OK, version, protocol }),
  },
  {
    ...{ path: "/readyz", methods: ["GET"], who: "public", body: "none", isLasting: true },
    answer: answerReady,
  },
  // Also while the kernel leaves: the page connects to the next one.
  ...["/", "/voice", "/a/:file"].map(
    (path): Route => ({
      ...{ path, methods: ["GET"], who: "public", body: "none", isLasting: true, answer: answerConsole },
      ...(path === "/" && { isLinked: true }),
    }),
  ),
  { path: "/public/*", methods: ["GET"], who: "public", body: "none", answer: answerPublic },
  { path: "/api/login", methods: ["POST"], who: "login", body: "json", answer: answerLogin },
  {
    ...{ path: "/api/logout", methods: ["POST"], who: "account", body: "json", answer: answerLogout },
    doc: { POST: { summary: "End this login" } },
  },
  {
    ...{ path: "/api/socket", methods: ["GET"], who: "account", body: "none", isSocket: true },
    answer: (visit) => visit.upgrade(),
  },
  {
    ...{ path: "/metrics", methods: ["GET"], who: "metrics", body: "none", answer: answerMetrics },
    doc: { GET: { summary: "Figures of the kernel for Prometheus", type: "text/plain", answer: { type: "string" } } },
  },
  { path: "/mcp", methods: ["GET", "POST", "DELETE"], who: "account", body: "json", answer: answerMcp },
  ...API_ROUTES,
];

function answerMcp(visit: Visit): Promise<Response> {
  return visit.host.mcp.answer(visit);
}

const OK = { ok: true };

/** Ready means that a call would be answered now. */
async function answerReady({ isLeaving, host }: Visit): Promise<Response> {
  if (isLeaving) return leavingNow();
  if (await host.isAnswering()) return json(200, OK);
  return problem(503, "EAGAIN", "the kernel cannot read its store", ["for details, run: gsv doctor"]);
}
