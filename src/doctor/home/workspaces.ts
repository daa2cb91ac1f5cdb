// Workspaces: the files of each are where its row says they are. What is in them is their owner's business, and git's.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Check, counted, type Found, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";

export const workspaces: Check = {
  name: "workspaces",
  needsHome: true,
  look(patient) {
    if (!existsSync(patient.paths.kernelDb)) return [];
    const rows = rowsOf(patient);
    if (rows === null || rows.length === 0) return [];
    const found: Found[] = [];
    for (const { id, owner, directory } of rows) {
      const files = directory ?? join(patient.paths.reposDir, owner, id);
      if (statSync(files, { throwIfNoEntry: false })?.isDirectory()) continue;
      found.push(
        directory === null
          ? problem(`the files of workspace ${id} are gone`, { fix: `restore repos/${owner}/${id} from a backup` })
          : notice(`workspace ${id} is ${directory}, which is not there`, {
              fix: `mount it again, or: gsv workspace archive ${id}`,
            }),
      );
    }
    return found.length > 0 ? found : [ok(`the files of ${counted(rows.length, "workspace")} are there`)];
  },
};

// What keeps kernel.db from being read is told by the check of the databases; one of an older gsv has none yet.
function rowsOf({ databases }: Patient) {
  try {
    return databases.workspaces();
  } catch {
    return null;
  }
}
