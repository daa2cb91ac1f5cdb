// Builds where tools run: scripts on gsv, commands and files on the host, pages of the web, blocks of code.

import { realpathSync } from "node:fs";
import { wholeHostFs } from "../../fs/disk/host.ts";
import { recordedFs } from "../../fs/disk/recorded.ts";
import { Namespace } from "../../fs/namespace.ts";
import { LIMITS } from "../abi/config/limits.ts";
import type { Caller } from "../abi/identity.ts";
import type { Sys } from "../abi/sys.ts";
import { personOfHome } from "../kernel/accounts/accounts.ts";
import { notedWrites } from "../kernel/files/file-history.ts";
import { HostFiles, unseenPaths } from "../kernel/files/host-files.ts";
import { KnownFiles } from "../kernel/files/known-files.ts";
import { SearchThread } from "../kernel/files/search-thread.ts";
import { HostLauncher } from "../kernel/shells/host-launcher.ts";
import { type Allowed, ScriptRuns } from "../kernel/shells/script-runs.ts";
import { gatedSys } from "../kernel/shells/shell-gate.ts";
import { endLeftCommands, ShellRuns } from "../kernel/shells/shell-runs.ts";
import { ShellTool } from "../kernel/shells/shell-tool.ts";
import { HostDirectories, personsDirectory } from "../kernel/workspaces/host-directories.ts";
import { hostEnvironment } from "../lib/host-environment.ts";
import { lazy } from "../lib/lazy.ts";
import { residentBytes } from "../machine/machine.ts";
import { needsOfLine } from "../process/approvals/approval-card/command-needs.ts";
import { isGuarded } from "../process/approvals/policy/file-verdict.ts";
import { scheduleChanges } from "../process/approvals/policy/schedule-lines.ts";
import { looksAt, shellLine } from "../process/approvals/policy/shell-line.ts";
import { Blocks } from "../process/run/code-blocks.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Web } from "../syscalls/run/net.ts";
import type { Shells } from "../syscalls/run/shell-service.ts";
import { hiddenOn, resolver } from "../targets/hidden.ts";
import { HostJobs } from "../targets/host-jobs.ts";
import { SANDBOX_PATH, sandboxFinder } from "../targets/sandbox.ts";
import { succeeds } from "../targets/spawn.ts";
import { WorkerPool } from "../targets/worker-pool.ts";
import { VERSION } from "../version.ts";
import { shellParser } from "../workers/shell-parser.ts";
import { newCodeRunner, newSearchRunner, newShellRunner } from "../workers/workers.ts";
import type { Core, FileParts, HostParts, ShellParts, TargetParts } from "./core.ts";

const WARM_MAX = 2;
const WARM_MS = 30_000;

export function bootTargets(core: Core, files: FileParts): TargetParts {
  const shells = bootShells(core, files);
  return {
    shells,
    hostFiles: bootHostFiles(core, shells.host),
    web: lazyWeb(core, shells.host),
    blocks: new Blocks({ newRunner: newCodeRunner, clock: core.machine.clock }),
  };
}

function bootShells(core: Core, files: FileParts): ShellParts {
  const { kernel, machine, budget, temporary } = core;
  const { clock, paths } = machine;
  const shells = new WorkerPool({
    newRunner: machine.newShellRunner ?? newShellRunner,
    clock,
    runningMax: LIMITS.shellsRunningMax,
    memory: residentBytes,
    memoryMax: LIMITS.shellsMemoryBytesMax,
    runningMaxEach: LIMITS.shellsRunningMaxEach,
    warmMax: WARM_MAX,
    warmMs: WARM_MS,
    budget,
  });
  const commands = new HostJobs({
    spoolDirectory: paths.spoolDir,
    clock,
    outputBytesMax: LIMITS.shellOutputBytesMax,
    runningMax: LIMITS.hostRunningMax,
    graceMs: LIMITS.hostGraceMs,
    keptMs: LIMITS.hostKeptMs,
    keptBytesMax: LIMITS.hostKeptBytesMax,
  });
  const scripts = new ScriptRuns({
    ...files.options,
    shells,
    clock,
    temporary,
    isGuarded,
    version: VERSION,
    sysFor: (context, allowed) => scriptSys(core, files, context, allowed),
    begin: (receipt) => kernel.requests.remember(receipt),
  });
  const host = bootHost(core, commands);
  const { launcher } = host;
  const table = new ShellRuns({ scripts, commands, launcher, clock });
  files.live.commands = (pid) => table.ofProcess(pid);
  const tool = new ShellTool({
    table,
    kept: files.kept,
    newId: core.newRequestId,
    withheld: (command, output) => launcher.withheld(command, output),
  });
  return {
    service: serviceOf(table, tool),
    hostGround: (...given) => launcher.ground(...given),
    needTypable: (...given) => tool.needTypable(...given),
    sandboxName: () => launcher.sandboxName(),
    host,
    isBusy: () => shells.isBusy || commands.running > 0,
    runOver: (pid) => table.endOfProcess(pid),
    adopt: () => commands.adopt(),
    settle: () => endLeftCommands(core, commands, table),
    close() {
      shells.close();
      commands.close();
      host.searches.close();
    },
  };
}

function serviceOf(table: ShellRuns, tool: ShellTool): Shells {
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
  { sysFor }: Core,
  { options, locate }: FileParts,
  { caller, client }: CallContext,
  { approved, allowedByRuleOrMode, script }: Allowed,
) {
  const sys = sysFor(caller.ownerUid, async () => caller, client);
  if (approved && caller.kind === "process") {
    const schedules = sysFor(caller.ownerUid, async () => ({ ...caller, approved }), client);
    return { ...sys, call: shownSchedules(sys, schedules, script) };
  }
  if (approved) return sys;
  return gatedSys(sys, {
    classOf: (call) => SYSCALLS.get(call)?.class,
    locate: (path) => locate(caller, path),
    isGuarded,
    allowedByRuleOrMode,
    exists: (path) =>
      options.namespace.lstat(caller, path).then(
        () => true,
        () => false,
      ),
  });
}

/** An approved script of an agent may change schedules only as its approval has shown. */
function shownSchedules(sys: Sys, approved: Sys, script: string): Sys["call"] {
  return async (name, args, options) => {
    if (!name.startsWith("sched.") || SYSCALLS.get(name)?.class !== "keyed") return sys.call(name, args, options);
    const shown = scheduleChanges((await shellLine(script, shellParser)).commands);
    const { when = null } = args as { readonly when?: string };
    const verb = CHANGES[name] ?? [];
    const isShown = shown.some((change) => verb.includes(change.command) && (when === null || change.when === when));
    return (isShown ? approved : sys).call(name, args, options);
  };
}

const CHANGES: { readonly [call: string]: readonly string[] } = {
  "sched.add": ["sched add", "at", "every"],
  "sched.update": ["sched edit", "sched update", "sched pause", "sched resume"],
  "sched.remove": ["sched rm", "sched remove"],
  "sched.run": ["sched run"],
};

function bootHost(core: Core, commands: HostJobs): HostParts {
  const { kernel, machine, budget } = core;
  const { clock, paths, hostEnv = {} } = machine;
  const { findProgram = (name: string) => Bun.which(name, { PATH: SANDBOX_PATH }) } = machine;
  const env = hostEnvironment(hostEnv);
  const home = realpathSync(paths.home);
  const places = new HostDirectories({
    attachments: kernel.attachments,
    clock,
    home,
    personsDirectory: (pid) => personsDirectory(core, pid),
  });
  const hidden = () => hiddenOn({ home, env: hostEnv, uid: process.getuid?.() ?? 0 });
  const sandbox = {
    platform: process.platform,
    find: findProgram,
    works: (argv: readonly string[]) => succeeds(argv, env),
  };
  const launcher = new HostLauncher({
    host: commands,
    places,
    env,
    personsEnv: hostEnv,
    looksAt,
    needs: async (script) => needsOfLine(await shellLine(script, shellParser)),
    sandbox: sandboxFinder(sandbox, clock),
    surroundings: () => ({ hidden: hidden(), resolver: resolver() }),
    isPersonOfHome: personOfHome(kernel.accounts),
    rowOf: (pid) => kernel.processes.get(pid),
  });
  const searches = new SearchThread({ newRunner: newSearchRunner, clock, idleMs: WARM_MS, budget });
  return { launcher, places, env, findProgram, hidden, searches };
}

/** All files of the host except gsv's home, and what agents must not see. */
function bootHostFiles(
  { kernel, processes: store, machine, onFault }: Core,
  { launcher, places, env, findProgram, hidden, searches }: HostParts,
): HostFiles {
  const { clock, random, paths } = machine;
  const home = realpathSync(paths.home);
  const unseen = unseenPaths(hidden, clock);
  const owner = async () => (await kernel.accounts.firstHuman()) ?? { uid: 0, gid: 0 };
  const rowOf = (pid: string) => kernel.processes.get(pid);
  const attached = async ({ pid }: Caller) => {
    const row = pid === undefined ? null : await rowOf(pid);
    return row === null ? [] : await places.attachedTo(row);
  };
  const fs = wholeHostFs({ home, owner, unseen, attached, clock, random });
  const noted = notedWrites({ kernel, clock, onFault }, "host");
  return new HostFiles({
    namespace: new Namespace([{ at: "/", fs: recordedFs(fs, noted) }], clock.now()),
    known: new KnownFiles({ store, kernel, clock }, "host"),
    places,
    clock,
    rowOf,
    authorise: (caller) => launcher.authorise(caller),
    personsHome: env.HOME,
    findProgram,
    hidden: () => [home, ...unseen()],
    searches,
    viewOf: async (caller) => ({
      ...{ home, unseen: unseen() },
      ...{ owner: await owner(), attached: await attached(caller) },
    }),
  });
}

function lazyWeb({ kernel, machine }: Core, { launcher }: HostParts): Web {
  const { clock, random, lookUp = systemLookUp } = machine;
  const load = async () =>
    (await import("../kernel/web.ts")).webService({
      clock,
      random,
      version: VERSION,
      settings: kernel.config,
      resolve: lookUp,
      authoriseHost: (caller) => launcher.authorise(caller),
    });
  return lazy<Web, keyof Web>(load, ["page", "rest", "needFetchable"]);
}

export async function systemLookUp(host: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
