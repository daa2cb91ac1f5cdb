// Who acts. An Identity is an account resolved to its groups; a Caller is an identity at the door of the kernel,
// together with what kind of door it came through. Capabilities are necessary, ownership is checked after them.

export interface Identity {
  readonly uid: number;
  readonly gid: number;
  /** Primary group first, then the supplementary ones. */
  readonly gids: readonly number[];
  readonly username: string;
  readonly home: string;
}

export interface Caller extends Identity {
  /** A person at a client, or a process whose agent acts. Calls declared `by: "person"` refuse processes. */
  readonly kind: "person" | "process";
  /** The process, when it is one. */
  readonly pid?: string;
  /** The account whose processes the caller sees: itself for a person, the process's owner for a process. */
  readonly ownerUid: number;
  readonly cwd: string;
  readonly capabilities: readonly string[];
}

export const ROOT_UID = 0;

export function isRoot(caller: Identity): boolean {
  return caller.uid === ROOT_UID;
}

/** A grant covers a capability by its exact name, as `domain.*`, or as `*`. */
export function grants(capabilities: readonly string[], wanted: string): boolean {
  return capabilities.some(
    (grant) => grant === "*" || grant === wanted || (grant.endsWith(".*") && wanted.startsWith(grant.slice(0, -1))),
  );
}
