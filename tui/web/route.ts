// The views and their addresses. The address is the fragment, so that the server serves one page. Pure.

import { isPid } from "../../src/abi/ids.ts";
import { pathFromUrl, pathInUrl } from "./files/file-path.ts";

export type Route =
  | { readonly view: "processes" }
  | { readonly view: "waiting" }
  | { readonly view: "schedules" }
  | { readonly view: "notifications" }
  | { readonly view: "settings" }
  | { readonly view: "files"; readonly path: string }
  | { readonly view: "talk"; readonly pid: string };

const LISTS = ["waiting", "schedules", "notifications", "settings"] as const;

export const START: Route = { view: "processes" };

export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, "");
  for (const view of LISTS) if (path === view) return { view };
  const file = /^files(?:$|\/(.*)$)/.exec(path);
  if (file !== null) return { view: "files", path: file[1] === undefined ? "~" : (pathFromUrl(file[1]) ?? "~") };
  const pid = /^talk\/(.+)$/.exec(path)?.[1] ?? "";
  return isPid(pid) ? { view: "talk", pid } : START;
}

export function hashOf(route: Route): string {
  if (route.view === "talk") return `#/talk/${route.pid}`;
  if (route.view === "files") return `#/files/${pathInUrl(route.path)}`;
  return route.view === "processes" ? "#/" : `#/${route.view}`;
}
