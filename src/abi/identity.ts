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
  /** A person at a client, a process whose agent acts, or a machine with a token. Calls declared `by: "person"` are for the first. */
  readonly kind: "person" | "process" | "device" | "service";
  /** The process, when it is one. */
  readonly pid?: string;
  /** The account whose processes the caller sees: itself for a person, the process's owner for a process. */
  readonly ownerUid: number;
  readonly cwd: string;
  /** Bits that new files do without; where nobody set it, what is new takes after its directory. */
  readonly umask?: number;
  readonly capabilities: readonly string[];
  /** A person has approved this one call of a process: it may do what a call declared `by: "approved"` needs (dispatch asks this). */
  readonly approved?: true;
  /** A person has approved the change of this one file in this call: its path without links. Nothing else is allowed by it, and
   * the call changes no other file (the namespace and mounts ask this). Of a command of the host: the directory it runs in. */
  readonly allowed?: string;
  /** A rule of a person, or the mode of the process, lets this one call delete and use the host; what is guarded stays so. */
  readonly lifted?: true;
  /** The mode of the process lets it look and do nothing else (dispatch and shells ask this). */
  readonly looksOnly?: true;
  /** The tool call that this is part of, for what notes who did what. Nothing is allowed by it. */
  readonly doing?: { readonly run: string; readonly call: string; readonly tool: string };
  /** Capabilities this one process does without, though its account has them. */
  readonly dropped?: readonly string[];
}

/** How somebody proves to be an account: its password, or a token that names it. */
export interface Credentials {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
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

/** `net` and `net.*` drop all of a domain, `fs.write` that one, `*` everything. */
function drops(dropped: readonly string[], wanted: string): boolean {
  return dropped.some((each) => {
    const name = each.endsWith(".*") ? each.slice(0, -2) : each;
    return name === "*" || name === wanted || wanted.startsWith(`${name}.`);
  });
}

export function mayUse(
  { capabilities, dropped = [] }: Pick<Caller, "capabilities" | "dropped">,
  wanted: string,
): boolean {
  return grants(capabilities, wanted) && !drops(dropped, wanted);
}

/** Whether one grant stays within others: `fs.*` within `*`, `fs.read` within `fs.*`. */
export function covers(capabilities: readonly string[], grant: string): boolean {
  return capabilities.includes(grant) || (grant === "*" ? false : grants(capabilities, grant));
}
