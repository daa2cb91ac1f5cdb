// Builds the files everyone sees: one namespace for all, so that a rule looks at the same file as the call it judges.

import type { CronFiles } from "../../fs/generated/cron.ts";
import { homeNamed } from "../client/about.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import { notedWrites } from "../kernel/files/file-history.ts";
import { pathLocator } from "../kernel/files/file-paths.ts";
import { type FilesOptions, filesService } from "../kernel/files/files.ts";
import { KeptResults } from "../kernel/files/kept-results.ts";
import { KnownFiles } from "../kernel/files/known-files.ts";
import { mountedWorkspaces } from "../kernel/workspaces/mounted-workspaces.ts";
import { endOfFile, machineOf } from "../machine/machine.ts";
import type { Core, FileParts, LiveFiles } from "./core.ts";
import { mountedFiles } from "./mounts.ts";
import { homesOf } from "./repos.ts";

/** The older part of the log is for doctor. */
const LOG_BYTES_MAX = 4 * 1024 * 1024;

export function bootFiles(core: Core, cronFiles: CronFiles): FileParts {
  const { kernel, objects, machine, unloggedSysFor, sysFor, redactor, logins, repos, temporary } = core;
  const { clock, random, paths } = machine;
  const live: LiveFiles = { saying: new Map(), commands: () => [] };
  const namespace = mountedFiles({
    objects,
    kernel,
    cronFiles,
    clock,
    random,
    temporary,
    sysFor: unloggedSysFor,
    actFor: (caller) => sysFor(caller.ownerUid, async () => caller),
    homes: homesOf(kernel, paths, repos),
    workspaces: mountedWorkspaces({ kernel, repos, paths, clock, random }),
    live: { saying: (pid) => live.saying.get(pid)?.() ?? null, commands: (pid) => live.commands(pid) },
    log: async () => redactor.text(await endOfFile(paths.kernelLog, LOG_BYTES_MAX)),
    onLocked: (uid, locked) => logins.accountLocked(uid, locked),
    machine: machineOf(paths.home),
    crashes: new CoreFiles(paths.crashDir),
    noted: notedWrites({ kernel, clock, onFault: core.onFault }, "gsv"),
    ...(machine.hostDirectory && { host: { directory: machine.hostDirectory, hidden: [paths.home] } }),
  });
  const known = new KnownFiles({ store: core.processes, kernel, clock }, "gsv");
  const options: FilesOptions = { namespace, homeOf: (caller, username) => homeNamed(kernel, caller, username), known };
  return {
    options,
    service: filesService(options),
    locate: pathLocator(options),
    kept: new KeptResults(namespace),
    live,
  };
}
