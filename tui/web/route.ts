// The views and their addresses. The address is the fragment, so that the server serves one page. Pure.

import { isPid } from "../../src/abi/ids.ts";

export type Route =
  | { readonly view: "processes" }
  | { readonly view: "waiting" }
  | { readonly view: "talk"; readonly pid: string };

export const START: Route = { view: "processes" };

export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, "");
  if (path === "waiting") return { view: "waiting" };
  const pid = /^talk\/(.+)$/.exec(path)?.[1] ?? "";
  return isPid(pid) ? { view: "talk", pid } : START;
}

export function hashOf(route: Route): string {
  if (route.view === "talk") return `#/talk/${route.pid}`;
  return route.view === "processes" ? "#/" : `#/${route.view}`;
}
