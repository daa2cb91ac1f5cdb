// Paths as text, nothing more: no file is asked. `..` is taken by its letters here; where links matter, the Namespace walks.

/** Absolute, without `.`, `..`, doubled or trailing slashes; `..` never climbs above `/`. */
export function normalise(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/** From a directory to a path that may be relative. Keeps `..`: only a walk can tell where it leads behind a link. */
export function join(directory: string, path: string): string {
  if (path.startsWith("/")) return path;
  return directory.endsWith("/") ? directory + path : `${directory}/${path}`;
}

/** The names on the way: `/a/b` → `a`, `b`; of `/` none. */
export function split(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

export function parent(path: string): string {
  return `/${split(path).slice(0, -1).join("/")}`;
}

/** The last name; of `/` the empty text. */
export function base(path: string): string {
  return split(path).at(-1) ?? "";
}

/** `~` and `~name` at the start of a path: whose home is meant and what follows, or null when it begins with neither. */
export function tilde(path: string): { readonly username: string | null; readonly rest: string } | null {
  const found = /^~([^/]*)(.*)$/s.exec(path);
  if (found === null) return null;
  return { username: found[1] === "" ? null : (found[1] ?? null), rest: found[2] ?? "" };
}
