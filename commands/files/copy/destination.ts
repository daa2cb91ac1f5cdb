// The destination of `cp` and `mv`: the last path, which must be a directory for several sources.

import { type Code, SysError } from "../../../src/abi/errno.ts";
import { type Spec, usageError } from "../../args.ts";
import { PHRASES } from "../phrases.ts";
import type { Problems } from "../problems.ts";

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

interface Destination {
  readonly path: string;
  readonly sources: number;
  readonly kindOf: () => Promise<string | undefined>;
}

/** Whether the destination is a directory. Reports an impossible destination and returns null. */
export async function isInto(problems: Problems, { path, sources, kindOf }: Destination): Promise<boolean | null> {
  const found = await problems.attempt(path, async () => ({ kind: await kindOf() }));
  if (found === null || found.kind === "directory") return found && true;
  if (sources === 1 && !path.endsWith("/")) return false;
  const code: Code = found.kind === undefined ? "ENOENT" : "ENOTDIR";
  await problems.report(path, new SysError(code, `${path}: ${PHRASES[code]}`));
  return null;
}
