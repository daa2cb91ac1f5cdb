// The audit log. Accounts see their own rows and those of their agents, root sees all.

import { isRoot } from "../abi/identity.ts";
import type { Clock } from "../lib/clock.ts";
import type { Redactor } from "../lib/text/redact.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { AuditLog } from "../syscalls/account/account-service.ts";
import { beginningOf } from "./since.ts";

export function auditLog(kernel: Pick<KernelStore, "audit" | "config" | "people">, clock: Clock): AuditLog {
  return {
    async list({ caller, client }, { denied, since, limit }) {
      const accounts = await kernel.people.list();
      const names = new Map(accounts.map(({ uid, username }) => [uid, username]));
      const own = accounts.filter(({ uid, ownerUid }) => uid === caller.uid || ownerUid === caller.uid);
      const asker = { uid: caller.ownerUid, client };
      const from = since === undefined ? 0 : await beginningOf(kernel.config, asker, since, clock.now());
      const whose = isRoot(caller) ? {} : { uids: own.map(({ uid }) => uid) };
      const rows = await kernel.audit.list({ ...whose, denied, since: from, limit });
      return { entries: rows.map(({ uid, ...row }) => ({ ...row, account: names.get(uid) ?? String(uid) })) };
    },
  };
}

/** Writes every audit row without secrets. */
export function redactedAudit(kernel: KernelStore, redactor: Redactor): KernelStore {
  const { audit } = kernel;
  return {
    ...kernel,
    audit: {
      ...audit,
      add: (row) => audit.add({ ...row, call: redactor.text(row.call), detail: redactor.text(row.detail) }),
    },
  };
}
