// The one list of syscalls. An unlisted name does not exist, for anyone.

import type { Accounts, AuditLog, Groups, Rights, Tokens } from "./access.ts";
import { accountCalls } from "./account.ts";
import { archiveCalls } from "./archive.ts";
import { auditCalls } from "./audit.ts";
import { configCalls } from "./config.ts";
import type { Fields, Syscall } from "./define.ts";
import { fsCalls } from "./fs.ts";
import { groupCalls } from "./group.ts";
import { hilCalls } from "./hil.ts";
import { procCalls } from "./proc.ts";
import type {
  Approvals,
  Archives,
  Files,
  Histories,
  KernelControl,
  Processes,
  Registry,
  Settings,
} from "./services.ts";
import { systemCalls } from "./system.ts";
import { tokenCalls } from "./token.ts";

/** All services there are; the read-only view has those marked. */
export interface Services {
  readonly registry: Registry; // read
  readonly histories: Histories; // read
  readonly archives: Archives; // read
  readonly approvals: Approvals; // listing reads
  readonly files: Files; // reading and searching read
  readonly kernel: KernelControl; // status reads
  readonly processes: Processes;
  readonly settings: Settings; // looking reads
  readonly accounts: Accounts; // listing reads
  readonly groups: Groups; // listing reads
  readonly tokens: Tokens; // listing reads
  readonly audit: AuditLog; // read
  readonly rights: Rights; // read
}

/** A declaration as dispatch and derivation use it: typed by its own file, uniform here. */
export type AnySyscall = Syscall<Services, Fields, unknown>;

export const SYSCALLS: ReadonlyMap<string, AnySyscall> = new Map(
  (
    [
      ...procCalls,
      ...fsCalls,
      ...hilCalls,
      ...archiveCalls,
      ...configCalls,
      ...systemCalls,
      ...accountCalls,
      ...groupCalls,
      ...tokenCalls,
      ...auditCalls,
    ] as unknown as AnySyscall[]
  ).map((call) => [call.name, call]),
);
