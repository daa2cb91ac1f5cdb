// The cron files of all accounts, as rows of the store. Lines that stay keep their schedule and its history.

import type { CronFiles } from "../../fs/generated/cron.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { ScheduleRow } from "../store/kernel/due/schedules.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { type CronLine, cronLines } from "./cron-file.ts";
import type { DefaultZone } from "./default-zone.ts";
import { DEFAULT_RULES, newRow } from "./new-schedule.ts";

export interface CronFilePorts {
  readonly kernel: Pick<KernelStore, "schedules" | "people" | "accounts">;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly zone: DefaultZone;
  readonly arm: () => Promise<void>;
}

const SYSTEM_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function cronFiles(ports: CronFilePorts): CronFiles {
  const { kernel, clock } = ports;
  return {
    async names(directory, ownerUid) {
      const files = (await kernel.schedules.cronFiles()).filter(({ path }) => path.startsWith(`${directory}/`));
      const seen = ownerUid === null ? files : files.filter((file) => file.ownerUid === ownerUid);
      return seen.map(({ path }) => path.slice(directory.length + 1));
    },
    text: async (path) => (await kernel.schedules.cronFile(path))?.content ?? null,
    async accountOf(name) {
      const account = await humanNamed(ports, name);
      return account === null ? null : { uid: account.uid, gid: account.gid };
    },
    async install(caller, path, content) {
      const rows = await rowsOf(ports, caller, path, content);
      const ownerUid = path.startsWith("/etc/") ? 0 : ((await humanNamed(ports, nameOf(path)))?.uid ?? caller.uid);
      await kernel.schedules.install({ path, ownerUid, content, updatedAt: clock.now() }, rows);
      await ports.arm();
    },
    async remove(path) {
      await kernel.schedules.install({ path }, []);
      await ports.arm();
    },
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function humanNamed({ kernel }: CronFilePorts, name: string) {
  const person = (await kernel.people.list()).find(({ username, kind }) => username === name && kind !== "agent");
  return person === undefined ? null : await kernel.accounts.byUid(person.uid);
}

async function rowsOf(ports: CronFilePorts, caller: Caller, path: string, text: string): Promise<ScheduleRow[]> {
  const { kernel, clock, random } = ports;
  const hasUser = path.startsWith("/etc/");
  if (hasUser && !SYSTEM_NAME.test(nameOf(path)))
    throw new SysError("EINVAL", `invalid name for a file of /etc/cron.d: ${nameOf(path)}`, [
      "use letters, digits, - and _",
    ]);
  const lines = cronLines(text, { path, hasUser, zone: await ports.zone({ caller }) });
  const seen = new Map<string, number>();
  const rows: ScheduleRow[] = [];
  for (const line of lines) {
    const user = line.user ?? nameOf(path);
    const account = await humanNamed(ports, user);
    if (account === null) throw new SysError("EINVAL", `${path}, line ${line.number}: no such account: ${user}`);
    const name = scheduleName(path, line, seen);
    const known = await kernel.schedules.named(account.uid, name);
    const now = clock.now();
    const about = { id: uuidv7(now, random), ownerUid: account.uid, name, creator: { uid: account.uid }, file: path };
    const target = { kind: "exec", text: line.command, target: "gsv" } as const;
    rows.push(
      known?.file === path ? known : newRow({ ...about, timing: line.timing, target, rules: DEFAULT_RULES }, now),
    );
  }
  return rows;
}

/** The same line has the same name in each version of the file. */
function scheduleName(path: string, { timing, user, command }: CronLine, seen: Map<string, number>): string {
  const hash = sha256Hex(JSON.stringify([path, timing, user, command])).slice(0, 6);
  const count = (seen.get(hash) ?? 0) + 1;
  seen.set(hash, count);
  return `cron-${hash}${count === 1 ? "" : `-${count}`}`;
}
