// Where `cp` and `mv` put things: the last path, which has to be a directory when several are copied or moved.

import { type Code, SysError } from "../../../src/abi/errno.ts";
import { type Spec, usageError } from "../../args.ts";
import { PHRASES } from "../phrases.ts";

/** The last path is where the others go. */
export function destinationOf(
  spec: Spec,
  paths: readonly string[],
): { readonly sources: readonly string[]; readonly destination: string } {
  const destination = paths.at(-1);
  const sources = paths.slice(0, -1);
  if (destination === undefined || sources.length === 0)
    throw usageError(spec, "DESTINATION is missing: give the sources, then the destination");
  return { sources, destination };
}

/** Null when so many can go there. */
export function destinationFault(
  { path, kind }: { readonly path: string; readonly kind: string | undefined },
  count: number,
): SysError | null {
  if (kind === "directory" || (count === 1 && !path.endsWith("/"))) return null;
  const code: Code = kind === undefined ? "ENOENT" : "ENOTDIR";
  return new SysError(code, `${path}: ${PHRASES[code]}`);
}
