// Shells of people and agents: the Workers that scripts on gsv run in, and where the code of these lies, in the sources and in the binary;
// and the host, with the sandbox this machine has.

import { realpathSync } from "node:fs";
import { LIMITS } from "../abi/config/limits.ts";
import type { FileParts } from "../boot/services.ts";
import type { Core } from "../boot.ts";
import { type Allowed, GsvScripts } from "../kernel/shells/gsv-scripts.ts";
import { HostPlaces } from "../kernel/shells/host-directory.ts";
import { HostShells } from "../kernel/shells/host-shells.ts";
import { gatedSys } from "../kernel/shells/shell-gate.ts";
import { ShellTool } from "../kernel/shells/shell-tool.ts";
import { ShellTable } from "../kernel/shells/shells.ts";
import { type Environment, hostEnvironment } from "../lib/host-environment.ts";
import { needDescriptorsForThread } from "../machine/descriptors.ts";
import { isGuarded } from "../process/approvals/policy/file-verdict.ts";
import { looksAt } from "../process/approvals/policy/shell-line.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Shells } from "../syscalls/run/shell-service.ts";
import { GsvShells } from "../targets/gsv.ts";
import { type Hidden, hiddenOn, resolver } from "../targets/hidden.ts";
import { HostCommands } from "../targets/host.ts";
import { SANDBOX_PATH, sandboxFinder } from "../targets/sandbox.ts";
import type { FromRunner, Runner } from "../targets/shell.ts";
import { succeeds } from "../targets/spawn.ts";
import { VERSION } from "../version.ts";

const WARM_MAX = 2;
const WARM_MS = 30_000;
/** How far up a process looks for where it belongs. */
const PARENTS_MAX = 8;

export interface ShellParts {
  readonly service: Shells;
  readonly hostGround: HostShells["ground"];
  readonly needTypable: ShellTool["needTypable"];
  /** Null where the machine has none. */
  readonly sandboxName: () => Promise<string | null>;
  readonly host: HostParts;
  readonly isBusy: () => boolean;
  /** A run of a process is over: what it left running ends. */
  readonly runOver: (pid: string) => void;
  /** Takes up what earlier kernels left running. */
  readonly adopt: () => void;
  /** Once processes are taken up: ends what no run of theirs waits for. */
  readonly settle: () => Promise<void>;
  readonly close: () => void;
}

export function bootShells(core: Core, files: FileParts): ShellParts {
  const { kernel, processes, machine } = core;
  const { clock, paths } = machine;
  const shells = new GsvShells({
    newRunner: machine.newShellRunner ?? newShellRunner,
    clock,
    runningMax: LIMITS.shellsRunningMax,
    memory: residentBytes,
    memoryMax: LIMITS.shellsMemoryBytesMax,
    runningMaxEach: LIMITS.shellsRunningMaxEach,
    warmMax: WARM_MAX,
    warmMs: WARM_MS,
  });
  const commands = new HostCommands({
    spoolDirectory: paths.spoolDir,
    clock,
    outputBytesMax: LIMITS.shellOutputBytesMax,
    runningMax: LIMITS.hostRunningMax,
    graceMs: LIMITS.hostGraceMs,
    keptMs: LIMITS.hostKeptMs,
    keptBytesMax: LIMITS.hostKeptBytesMax,
  });
  const scripts = new GsvScripts({
    ...{ shells, clock, isGuarded, version: VERSION, ...files.options },
    sysFor: (context, allowed) => scriptSys(core, files, context, allowed),
    begin: (receipt) => kernel.requests.remember(receipt),
  });
  const host = hostOf(core, commands);
  const { hostShells } = host;
  const table = new ShellTable({ scripts, commands, hostShells, clock });
  files.live.commands = (pid) => table.ofProcess(pid);
  const tool = new ShellTool({ table, kept: files.kept, newId: core.newRequestId });
  return {
    service: serviceOf(table, tool),
    hostGround: (...given) => hostShells.ground(...given),
    needTypable: (...given) => tool.needTypable(...given),
    sandboxName: () => hostShells.sandboxName(),
    host,
    isBusy: () => shells.isBusy || commands.running > 0,
    runOver: (pid) => table.endOfProcess(pid),
    adopt: () => commands.adopt(),
    async settle() {
      const pids = new Set(
        commands.list().flatMap(({ meta, exit }) => (exit === null && meta.pid !== null ? [meta.pid] : [])),
      );
      for (const pid of pids) {
        const isThere = (await kernel.processes.get(pid)) !== null;
        if (!isThere || (await processes.head(pid)).currentRun === null) table.endOfProcess(pid);
      }
    },
    close() {
      shells.close();
      commands.close();
    },
  };
}

// Asking takes a descriptor, and where there is none it throws: not to know is no reason to end anything.
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

function serviceOf(table: ShellTable, tool: ShellTool): Shells {
  return {
    run: (...given) => table.run(...given),
    output: (...given) => table.output(...given),
    input: (...given) => table.input(...given),
    signal: (...given) => table.signal(...given),
    stop: (...given) => table.stop(...given),
    list: (...given) => table.list(...given),
    exec: (...given) => tool.exec(...given),
  };
}

function scriptSys(
  { door }: Core,
  { options, locate }: FileParts,
  { caller, client }: CallContext,
  { approved, lifted }: Allowed,
) {
  const sys = door(caller.ownerUid, async () => caller, client);
  if (approved) return sys;
  return gatedSys(sys, {
    classOf: (call) => SYSCALLS.get(call)?.class,
    locate: (path) => locate(caller, path),
    isGuarded,
    lifted,
    exists: (path) =>
      options.namespace.lstat(caller, path).then(
        () => true,
        () => false,
      ),
  });
}

/** What of this machine commands and file tools share. */
export interface HostParts {
  readonly hostShells: HostShells;
  readonly places: HostPlaces;
  readonly env: Environment;
  readonly findProgram: (name: string) => string | null;
  /** Where sockets and keys lie. */
  readonly hidden: () => Hidden;
}

function hostOf(core: Core, host: HostCommands): HostParts {
  const { kernel, machine } = core;
  const {
    clock,
    paths,
    hostEnv = {},
    findProgram = (name: string) => Bun.which(name, { PATH: SANDBOX_PATH }),
  } = machine;
  const env = hostEnvironment(hostEnv);
  const home = realpathSync(paths.home);
  const places = new HostPlaces({
    attachments: kernel.attachments,
    clock,
    home,
    personsDirectory: (pid) => personsDirectory(core, pid),
  });
  const hidden = () => hiddenOn({ home, env: hostEnv, uid: process.getuid?.() ?? 0 });
  const hostShells = new HostShells({
    ...{ host, places, env, looksAt },
    sandbox: sandboxFinder(
      { platform: process.platform, find: findProgram, works: (argv) => succeeds(argv, env) },
      clock,
    ),
    surroundings: () => ({
      hidden: hidden(),
      resolver: resolver(),
    }),
    isPersonOfHome: async (uid) => uid === 0 || (await kernel.accounts.firstHuman())?.uid === uid,
    rowOf: (pid) => kernel.processes.get(pid),
  });
  return { hostShells, places, env, findProgram, hidden };
}

/** Where the person stood whose message the process works on; else what was attached further up. */
async function personsDirectory({ kernel, processes }: Core, pid: string): Promise<string | null> {
  const { currentRun } = await processes.head(pid);
  for (const { role, runId, origin } of await processes.context(pid))
    if (role === "user" && runId === currentRun && origin?.kind === "client" && origin.cwd !== undefined)
      return origin.cwd;
  let parent = (await kernel.processes.get(pid))?.parentPid ?? null;
  for (let level = 0; parent !== null && level < PARENTS_MAX; level++) {
    const row = await kernel.processes.get(parent);
    const [attached] = row === null ? [] : await kernel.attachments.of(row.workspaceId ?? row.pid);
    if (attached !== undefined) return attached;
    parent = row?.parentPid ?? null;
  }
  return null;
}

export function newShellRunner(): Runner {
  needDescriptorsForThread();
  const worker = new Worker(new URL("./shell-worker.ts", import.meta.url).href);
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    listen(hear, fault) {
      worker.onmessage = ({ data }: MessageEvent<FromRunner>) => hear(data);
      worker.onerror = ({ message }) => fault(message);
      worker.addEventListener("close", () => fault("it has ended"));
    },
    end: () => worker.terminate(),
  };
}
