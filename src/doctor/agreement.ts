// Check: kernel.db and the process databases agree. Each registered process has its database, each database its process, and the projection
// in kernel.db matches the process database. Processes marked dirty are skipped: their projection is not copied yet.

import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Activity, ProcessState, Registered } from "../store/inspect.ts";
import { type Check, type CheckResult, counted, type Depth, ok, problem, readable } from "./check.ts";
import { databasesIn } from "./databases.ts";
import type { Patient } from "./patient.ts";

const FSCK = "gsv kernel stop; gsv fsck --repair";

export const agreement: Check = {
  name: "agreement",
  needsHome: true,
  look(patient, depth) {
    if (!existsSync(patient.paths.kernelDb)) return [];
    // Files first, because a process is registered before it has a file and loses the file first.
    const files = databasesIn(patient);
    const rows = registered(patient);
    if (rows === null) return [];
    const known = new Set(rows.map((row) => row.pid));
    const found = [
      ...rows.flatMap((row) => compared(patient, depth, row)),
      ...files.filter((pid) => !known.has(pid)).flatMap((pid) => nobodys(patient, depth, pid)),
    ];
    return found.length > 0 ? found : [ok(`kernel.db and ${counted(rows.length, "process", "processes")} agree`)];
  },
};

function registered({ databases }: Patient): readonly Registered[] | null {
  const schema = readable(() => databases.kernelSchema());
  return schema !== null && schema.version === schema.known ? readable(() => databases.registered()) : null;
}

function compared(patient: Patient, depth: Depth, row: Registered): CheckResult[] {
  const { pid } = row;
  if (row.dirty || row.phase !== "live") return [];
  if (!existsSync(join(patient.paths.procDir, `${pid}.db`)))
    return isStill(patient, row) ? [missing(patient, depth, pid)] : [];
  const own = processState(patient, pid);
  if (own === null) return [];
  const fault = differs(row, own);
  // A live kernel may have changed it between the two reads. Then it is dirty now, or one of the two reads differently.
  if (fault === null || !isStill(patient, row) || !Bun.deepEquals(processState(patient, pid), own)) return [];
  const more = depth === "full" ? { repair: () => copyAgain(patient, pid, own) } : {};
  return [problem(`${pid}: ${fault}`, { fix: FSCK, ...more })];
}

function processState({ databases }: Patient, pid: string): ProcessState | null {
  return readable(() => databases.processState(pid));
}

function isStill({ databases }: Patient, row: Registered): boolean {
  return JSON.stringify(databases.registeredProcess(row.pid)) === JSON.stringify(row);
}

function differs(row: Registered, own: ProcessState): string | null {
  const [shown, said] = [inWords(row), inWords(own)];
  if (shown !== said) return `kernel.db shows ${shown}, the process is ${said}`;
  const [listed, open] = [row.openApprovals, own.openApprovals].map((ids) => [...ids].sort().join(", ") || "none");
  if (listed !== open) return `kernel.db lists the approvals ${listed}, open are ${open}`;
  if (own.unsent > 0) return `${own.unsent} changes were never copied into kernel.db`;
  return own.closing === null ? null : `a ${own.closing.reason} was started and never finished`;
}

function inWords({ state, activeRunId, queued, lastActiveAt }: Activity): string {
  const run = activeRunId === null ? "" : ` in run ${activeRunId}`;
  const active = lastActiveAt === null ? "" : `, last active ${new Date(lastActiveAt).toISOString()}`;
  return `${state}${run} with ${queued} queued${active}`;
}

async function copyAgain({ repairs }: Patient, pid: string, own: ProcessState): Promise<string> {
  if (own.closing === null) repairs.resend(pid);
  else repairs.mark(pid);
  return `marked ${pid}: the next kernel copies its state`;
}

function missing({ repairs }: Patient, depth: Depth, pid: string): CheckResult {
  const repair = async () => {
    repairs.mark(pid);
    return `marked ${pid}: the next kernel shows an error until a reset`;
  };
  return problem(`${pid} has no database`, {
    fix: `restore a backup, or: gsv proc reset --pid ${pid}`,
    ...(depth === "full" ? { repair } : {}),
  });
}

function nobodys(patient: Patient, depth: Depth, pid: string): CheckResult[] {
  // The process may have been killed between the two reads.
  if (!databasesIn(patient).includes(pid)) return [];
  return [
    problem(`proc/${pid}.db belongs to no process`, {
      fix: `${FSCK} moves it to quarantine/`,
      ...(depth === "full" ? { repair: async () => setAside(patient, pid) } : {}),
    }),
  ];
}

// Moves the database with its WAL. The files are renamed, never opened.
function setAside({ paths, clock }: Patient, pid: string): string {
  const place = join(paths.quarantineDir, `${pid}-${clock.now()}`);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const names = new Set([`${pid}.db`, `${pid}.db-wal`, `${pid}.db-shm`]);
  for (const name of readdirSync(paths.procDir).filter((each) => names.has(each)))
    renameSync(join(paths.procDir, name), join(place, name));
  return `moved proc/${pid}.db to ${place}`;
}
