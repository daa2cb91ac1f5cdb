// Whether one path lies inside another, by whole names. Text only: no file is read, and `..` must be resolved before.

/** True if the path is the directory or lies below it. */
export function isInside(path: string, directory: string): boolean {
  if (!path.startsWith(directory)) return directory.endsWith("/") && directory.length > 1 && `${path}/` === directory;
  return directory.endsWith("/") || path.length === directory.length || path[directory.length] === "/";
}
