// Paths as text: no file access. `..` is resolved textually; the Namespace walks symlinks.

/** Absolute, without `.`, `..` and redundant slashes; `..` never leaves `/`. */
export function normalise(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/** Resolves a relative path. Keeps `..`: it may follow a symlink. */
export function join(directory: string, path: string): string {
  if (path.startsWith("/")) return path;
  return directory.endsWith("/") ? directory + path : `${directory}/${path}`;
}

/** `/a/b` → `a`, `b`; `/` → none. */
export function split(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

export function parent(path: string): string {
  return `/${split(path).slice(0, -1).join("/")}`;
}

/** The last name; "" for `/`. */
export function base(path: string): string {
  return split(path).at(-1) ?? "";
}

/** Splits `~` and `~name` from a path; null if it starts with neither. */
export function tilde(path: string): { readonly username: string | null; readonly rest: string } | null {
  const found = /^~([^/]*)(.*)$/s.exec(path);
  if (found === null) return null;
  return { username: found[1] === "" ? null : (found[1] ?? null), rest: found[2] ?? "" };
}
