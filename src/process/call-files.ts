// What a tool call says of files: whether it changes one, which path it names, and whether that is a setting by its own name. Pure.

import { normalise } from "../../fs/path.ts";
import { keyFiled } from "../abi/config-key.ts";
import type { CallRow } from "../store/process/verbs.ts";

export function changesFile({ call }: CallRow): boolean {
  return call === "fs.write" || call === "fs.edit";
}

/** A search that names none looks where the caller stands. */
export function pathNamed({ args }: CallRow): string {
  return typeof args.path === "string" ? args.path : ".";
}

export function namesItself({ args }: CallRow, place: string): boolean {
  return typeof args.path === "string" && args.path.startsWith("/") && normalise(args.path) === place;
}

export function isSetting(call: CallRow): boolean {
  const { path } = call.args;
  return changesFile(call) && typeof path === "string" && path.startsWith("/") && keyFiled(normalise(path)) !== null;
}
