// Who acts. An Identity is an account with its groups. A Caller is an identity that makes a call,
// with how it is connected and what it may do. Capabilities are checked first, then ownership.

import type { SysError } from "./errno.ts";
import type { Grant } from "./grants.ts";
import type { Cause } from "./process/cause.ts";

export interface Identity {
  readonly uid: number;
  readonly gid: number;
  /** Primary group first, then the supplementary ones. */
  readonly gids: readonly number[];
  readonly username: string;
  readonly home: string;
}

export interface Caller extends Identity {
  /**
   * A person at a client, a process whose agent acts, a program with a limited token of a person, or a machine with a token. Calls declared
   * `by: "person"` are for the first.
   */
  readonly kind: "person" | "process" | "program" | "device" | "service";
  /** Set if the caller is a process. */
  readonly pid?: string;
  /** The account whose processes the caller sees: itself for a person, the process's owner for a process. */
  readonly ownerUid: number;
  readonly cwd: string;
  /** Without a umask, new files inherit the mode of their directory. */
  readonly umask?: number;
  readonly capabilities: readonly string[];
  /** A person has approved this call, which may be declared `by: "approved"` (dispatch checks this). */
  readonly approved?: true;
  /** A person has approved the change of this file: its path without links. Allows nothing else, and
   * the call may change no other file (the namespace and mounts check this). For a host command: its working directory. */
  readonly allowed?: string;
  /** What the user's approval gives this host command in the sandbox. */
  readonly granted?: readonly Grant[];
  /** A rule or the mode allows this call to delete and to use the host. Guarded files stay guarded. */
  readonly allowedByRuleOrMode?: true;
  /** The mode of the process is read-only (dispatch and shells check this). */
  readonly looksOnly?: true;
  /** The tool call that this call belongs to, for logs. Allows nothing. */
  readonly doing?: {
    readonly run: string;
    readonly call: string;
    readonly tool: string;
    /** Of the model. */
    readonly callId?: string;
  };
  /** Capabilities of the account that this process has dropped. */
  readonly dropped?: readonly string[];
  /** What led to the calls of a command that gsv started by itself. Allows nothing. */
  readonly cause?: Cause;
}

/** A password, or a token that names the account. */
export interface Credentials {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** The second secret of a browser's login. */
  readonly key?: string;
}

/** Where a client over the network comes from. */
export interface Arrival {
  readonly address: string;
  /** What limits count as one source: the address, or the /64 of IPv6. */
  readonly network: string;
  /** What it calls itself: printable and short. */
  readonly program: string;
  readonly purpose: "account" | "metrics";
  /** Called when the login ends before the connection, with the reason. */
  readonly onEnd?: (why: SysError) => void;
  /** The connection is of a program: it gets no more than these capabilities. */
  readonly allow?: readonly string[];
}

/** A name and a password, or a one-time code. */
export interface EntryRequest {
  readonly user?: string;
  readonly password?: string;
  readonly code?: string;
  readonly label?: string;
  /** For a browser. */
  readonly withKey: boolean;
}

export interface Entered {
  readonly id: string;
  readonly account: string;
  readonly token: string;
  readonly key: string | null;
  readonly expiresAt: number;
}

export const ROOT_UID = 0;
/** Also of group ids: 2^32 - 1 names none. */
export const ID_MAX = 2 ** 32 - 2;

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

/** The caller as a program that may use no more than these capabilities. */
export function limitedTo(caller: Caller, allow: readonly string[]): Caller {
  const { capabilities } = caller;
  const common = [
    ...allow.filter((grant) => covers(capabilities, grant)),
    ...capabilities.filter((grant) => covers(allow, grant)),
  ];
  return { ...caller, kind: caller.kind === "person" ? "program" : caller.kind, capabilities: [...new Set(common)] };
}

/** Whether one grant stays within others: `fs.*` within `*`, `fs.read` within `fs.*`. */
export function covers(capabilities: readonly string[], grant: string): boolean {
  return capabilities.includes(grant) || (grant === "*" ? false : grants(capabilities, grant));
}
