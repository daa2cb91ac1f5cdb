// All routes of the listener, as one table. The first row that fits decides; the door lets nothing in that has no row here.

import { answerConsole } from "./console/answer.ts";
import { answerCall, answerLogin, json, leavingNow } from "./rest.ts";
import type { Route } from "./route.ts";

export const ROUTES: readonly Route[] = [
  { path: "/healthz", methods: ["GET"], who: "public", body: "none", isLasting: true, answer: () => json(200, OK) },
  {
    ...{ path: "/readyz", methods: ["GET"], who: "public", body: "none", isLasting: true },
    answer: ({ isLeaving }) => (isLeaving ? leavingNow() : json(200, OK)),
  },
  // Also while the kernel leaves: the page connects to the next one.
  ...["/", "/a/:file"].map(
    (path): Route => ({
      ...{ path, methods: ["GET"], who: "public", body: "none", isLasting: true, answer: answerConsole },
      ...(path === "/" && { isLinked: true }),
    }),
  ),
  { path: "/api/login", methods: ["POST"], who: "login", body: "json", answer: answerLogin },
  { path: "/api/call/:name", methods: ["POST"], who: "account", body: "json", answer: answerCall },
  {
    ...{ path: "/api/socket", methods: ["GET"], who: "account", body: "none", isSocket: true },
    answer: (visit) => visit.upgrade(),
  },
];

const OK = { ok: true };
