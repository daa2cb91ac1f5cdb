// The names in the path of a request, decoded once.

/** Null if one is empty, climbs, or holds a separator or NUL. */
export function decodedNames(path: string): readonly string[] | null {
  const names = path.split("/").map(decoded);
  const isFit = (name: string | null): name is string => name !== null && name !== "" && !/^\.\.?$|[/\0]/.test(name);
  return names.every(isFit) ? names : null;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
