// The mount table. The kernel and the read-only view share it, so that a path means the same with a kernel and without.

import { withCallerLink } from "../../fs/caller-link.ts";
import { diskFs } from "../../fs/disk/disk.ts";
import { type ChangeListener, recordedFs } from "../../fs/disk/recorded.ts";
import type { FileSystem, Mount } from "../../fs/filesystem.ts";
import { binFs, type Program } from "../../fs/generated/bin.ts";
import { type CronFiles, cronFs, SPOOL, SYSTEM } from "../../fs/generated/cron.ts";
import { devFs } from "../../fs/generated/dev.ts";
import { etcFile } from "../../fs/generated/etc.ts";
import { approvalsFs, type CrashFiles, crashFs, logFs } from "../../fs/generated/var.ts";
import { mcpFs } from "../../fs/mcp/mcp.ts";
import { separateStores } from "../../fs/memory.ts";
import { Namespace } from "../../fs/namespace.ts";
import { objectsFs } from "../../fs/objects.ts";
import type { MachinePorts } from "../../fs/proc/machine.ts";
import { procFs } from "../../fs/proc/proc.ts";
import type { LivePorts } from "../../fs/proc/stream.ts";
import type { RepoFsOptions } from "../../fs/repo/homes.ts";
import { repoFs } from "../../fs/repo/repo.ts";
import { type WorkspacesOptions, workspacesFs } from "../../fs/repo/workspaces.ts";
import { sysFs } from "../../fs/sys/sys.ts";
import type { Caller } from "../abi/identity.ts";
import type { RandomBytes } from "../abi/ids.ts";
import { MCP_MOUNT } from "../abi/links/mcp-paths.ts";
import { MAIN_AGENT } from "../abi/process/session.ts";
import type { Sys } from "../abi/sys.ts";
import { accountFiles } from "../kernel/accounts/account-files.ts";
import type { Clock } from "../lib/clock.ts";
import type { TemporaryBytes } from "../lib/memory/growing-bytes.ts";
import type { ObjectStore } from "../objects/objects.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { historyLines, waitsForText } from "../syscalls/format.ts";
import { segmentName } from "../syscalls/proc/history-service.ts";

const TMP_BYTES_MAX = 64 * 1024 * 1024;

/** Loaded at the first use, because it imports every declaration. */
const REFERENCE = {
  names: async () => (await import("../syscalls/reference.ts")).syscallNames(),
  text: async (name: string) => (await import("../syscalls/reference.ts")).syscallText(name),
};

export interface MountParts {
  readonly objects: ObjectStore;
  readonly kernel: Pick<KernelStore, "accountFiles" | "accounts" | "people">;
  readonly homes: Omit<RepoFsOptions, "under">;
  readonly workspaces: WorkspacesOptions;
  readonly crashes: CrashFiles;
  readonly cronFiles: CronFiles;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly sysFor: (caller: Caller) => Sys;
  /** Like sysFor, for writes. */
  readonly actFor: (caller: Caller) => Sys;
  /** What a kernel has not stored yet; missing without a kernel. */
  readonly live?: LivePorts;
  /** The kernel's log without secrets. */
  readonly log: () => Promise<string>;
  /** For the files in /tmp; missing without a kernel. */
  readonly temporary?: TemporaryBytes;
  /** Called after every change of a file. */
  readonly noted?: ChangeListener;
  readonly onLocked: (uid: number, locked: boolean) => void;
  readonly machine?: Omit<MachinePorts, "mounts">;
  /** The host directory mounted at /mnt/host. */
  readonly host?: { readonly directory: string; readonly hidden: readonly string[] };
}

export function mountedFiles(parts: MountParts): Namespace {
  const { objects, kernel, clock, sysFor, actFor } = parts;
  const live = parts.live === undefined ? {} : { live: parts.live };
  const machine = parts.machine === undefined ? {} : { machine: { ...parts.machine, mounts: () => mounts } };
  const stored = objectsFs({ storeOf: () => objects, clock, root: { uid: 0, gid: 0, mode: 0o755 } });
  const ofOwner = separateStores((caller: Caller) => caller.ownerUid, TMP_BYTES_MAX, parts.temporary);
  const etc = accountFiles({ kernel, onLocked: parts.onLocked });
  const told = (fs: FileSystem, at = "") => (parts.noted === undefined ? fs : recordedFs(fs, parts.noted, at));
  const scratch = objectsFs({ storeOf: ofOwner, clock, root: { uid: 0, gid: 0, mode: 0o1777 } });
  const targetFor = async ({ ownerUid }: Caller) => (await kernel.accounts.personalAgent(ownerUid))?.username ?? null;
  const kept = (at: string): Mount => ({ at, fs: stored, whole: true, readOnly: true });
  const mounts: Mount[] = [
    { at: "/", fs: told(repoFs({ ...parts.homes, under: stored })) },
    { at: "/tmp", fs: told(scratch, "/tmp") },
    { at: "/workspaces", fs: told(workspacesFs(parts.workspaces, clock.now())), whole: true },
    {
      at: "/proc",
      fs: procFs({ sysFor, actFor, clock, historyLines, segmentName, waitsForText, ...live, ...machine }),
    },
    { at: "/sys", fs: sysFs({ sysFor, actFor, clock, reference: REFERENCE }) },
    { at: MCP_MOUNT, fs: mcpFs(sysFor, clock), readOnly: true },
    { at: "/dev", fs: devFs(parts.random, clock.now()) },
    { at: "/etc/passwd", fs: etcFile(etc.passwd, clock) },
    { at: "/etc/shadow", fs: etcFile(etc.shadow, clock) },
    { at: "/etc/group", fs: etcFile(etc.group, clock) },
    { at: "/bin", fs: binFs(programs, clock), readOnly: true },
    { at: "/usr/local/bin", fs: binFs(async () => [], clock), readOnly: true },
    { at: "/var/spool/approvals", fs: approvalsFs(sysFor, clock), readOnly: true },
    ...[SPOOL, SYSTEM].map((place) => ({ at: place.directory, fs: cronFs(parts.cronFiles, place, clock) })),
    {
      at: "/var/log/gsv",
      fs: logFs({ text: parts.log, reader: () => ownHuman(kernel), sysFor, clock }),
      readOnly: true,
    },
    { at: "/var/crash", fs: crashFs(parts.crashes, clock), readOnly: true },
    // Written by the kernel only. Owners may read.
    ...["/var/sessions", "/var/media"].map(kept),
    { ...kept("/agents"), fs: withCallerLink(stored, { directory: "/agents", name: MAIN_AGENT, targetFor }) },
    ...granted(parts, told),
  ];
  return new Namespace(mounts, clock.now(), parts.workspaces.aliases);
}

function granted(
  { host, kernel, clock, random }: MountParts,
  told: (fs: FileSystem, at: string) => FileSystem,
): Mount[] {
  if (host === undefined) return [];
  const fs = diskFs({ ...host, owner: () => ownHuman(kernel), clock, random });
  return [{ at: "/mnt/host", fs: told(fs, "/mnt/host") }];
}

async function ownHuman({ accounts }: Pick<KernelStore, "accounts">): Promise<{ uid: number; gid: number }> {
  return (await accounts.firstHuman()) ?? { uid: 0, gid: 0 };
}

async function programs(): Promise<readonly Program[]> {
  const [{ COMMANDS }, { summaries }] = await Promise.all([
    import("../../commands/table.ts"),
    import("../../commands/man/summaries.ts"),
  ]);
  return (await summaries(COMMANDS)).map(([name, summary]) => ({ name, summary }));
}
