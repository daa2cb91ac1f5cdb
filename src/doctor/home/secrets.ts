// Check: secrets that are set but whose value is gone. A backup holds no secrets, so after a restore all of them have to be set again. The
// values are neither read nor shown.

import { existsSync } from "node:fs";
import { SETTINGS } from "../../abi/config/config.ts";
import { type KeyWritten, keyWritten } from "../../abi/config/config-key.ts";
import { type Check, type Found, notice, ok } from "../check.ts";
import type { Patient } from "../patient.ts";

export const secrets: Check = {
  name: "secrets",
  needsHome: true,
  async look(patient) {
    const stored = storedIn(patient);
    const found: Found[] = [];
    for (const { key, value, written } of stored) {
      if ((await patient.holdsSecret(key, value)) !== false) continue;
      const whose = written.uid === null ? " of the whole home" : ownerIn(patient, written.uid);
      found.push(
        notice(`the secret ${written.name}${whose} is set, but its value is missing`, {
          fix: fixFor(patient, written),
        }),
      );
    }
    return found.length > 0 || stored.length === 0 ? found : [ok("every secret that is set is there")];
  },
};

interface Stored {
  readonly key: string;
  readonly value: string;
  readonly written: KeyWritten;
}

// A kernel.db that cannot be read is told by the check of the databases.
function storedIn({ databases, paths }: Patient): readonly Stored[] {
  if (!existsSync(paths.kernelDb)) return [];
  try {
    return databases.settings().flatMap(({ key, value }) => {
      const written = keyWritten(key);
      return written === null || SETTINGS[written.name].type !== "secret" ? [] : [{ key, value, written }];
    });
  } catch {
    return [];
  }
}

function ownerIn({ databases }: Patient, uid: number): string {
  const account = databases.accounts().find((each) => each.uid === uid);
  return ` of ${account?.username ?? `account ${uid}`}`;
}

const FIRST_HUMAN_UID = 1000;

function fixFor({ databases }: Patient, { name, uid }: KeyWritten): string {
  if (uid === null) return `gsv config set --system ${name} --user root`;
  const accounts = databases.accounts().filter((each) => each.uid >= FIRST_HUMAN_UID);
  const username = accounts.find((each) => each.uid === uid)?.username;
  return `gsv config set ${name}${username === undefined || accounts[0]?.uid === uid ? "" : ` --user ${username}`}`;
}
