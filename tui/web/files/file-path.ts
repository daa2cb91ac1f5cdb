// Paths of gsv as addresses: `~` and `~NAME` are homes, everything else starts at the root. Pure.

/** For the address of the page and for `/api/files`. */
export function pathInUrl(path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  return names.map((name) => encodeURIComponent(name.toWellFormed())).join("/");
}

/** null if no path is written like this. */
export function pathFromUrl(text: string): string | null {
  try {
    const names = text.split("/").filter((name) => name !== "");
    const path = names.map(decodeURIComponent).join("/");
    return path.startsWith("~") ? path : `/${path}`;
  } catch {
    return null;
  }
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || "/";
}

export function inside(directory: string, name: string): string {
  return directory.endsWith("/") ? `${directory}${name}` : `${directory}/${name}`;
}

/** The directories on the way to a path, and the path, from the root. */
export function stepsTo(path: string): readonly { readonly name: string; readonly path: string }[] {
  const names = path.split("/").filter((name) => name !== "");
  const steps = names.map((name, at) => ({ name, path: `/${names.slice(0, at + 1).join("/")}` }));
  return [{ name: "/", path: "/" }, ...steps];
}
