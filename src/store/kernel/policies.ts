// Standing policy rules, from approvals with "always" or added by hand: owner, scope, author, time.

import { ruleFrom, type StandingRule } from "../../abi/policy.ts";
import type { KernelDb } from "./db.ts";

export interface PolicyRows {
  /** Oldest first. */
  of(ownerUid: number): Promise<readonly StandingRule[]>;
  add(ownerUid: number, rule: StandingRule): Promise<void>;
  /** False if there is no such rule. */
  remove(ownerUid: number, id: string): Promise<boolean>;
  forget(ownerUid: number): Promise<void>;
}

type Columns = {
  readonly rule_id: string;
  readonly place: string | null;
  readonly rule_json: string;
  readonly created_by: string;
  readonly created_at: number;
};

export function policyRows(kernel: KernelDb): PolicyRows {
  const { db } = kernel;
  return {
    async of(ownerUid) {
      const rows = db.all<Columns>(
        "SELECT * FROM policy_rules WHERE owner_uid = ? ORDER BY created_at, rule_id",
        ownerUid,
      );
      return rows.map(fromColumns);
    },
    async add(ownerUid, { id, place, rule, by, createdAt }) {
      kernel.write("full", () =>
        db.insert("policy_rules", {
          rule_id: id,
          owner_uid: ownerUid,
          place,
          rule_json: JSON.stringify(rule),
          created_by: by,
          created_at: createdAt,
        }),
      );
    },
    async remove(ownerUid, id) {
      let changed = 0;
      kernel.write("full", () => {
        changed = db.run("DELETE FROM policy_rules WHERE owner_uid = ? AND rule_id = ?", ownerUid, id);
      });
      return changed > 0;
    },
    async forget(ownerUid) {
      kernel.write("full", () => db.run("DELETE FROM policy_rules WHERE owner_uid = ?", ownerUid));
    },
  };
}

function fromColumns(row: Columns): StandingRule {
  const { rule_id: id, place, created_by: by, created_at: createdAt } = row;
  return { id, place, rule: ruleFrom(JSON.parse(row.rule_json), `rule ${id}`), by, createdAt };
}
