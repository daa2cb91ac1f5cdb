// Gives the doctor's checks access to this computer, and lists the paths of a home. Creates no home and starts no kernel.

import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../../commands/command.ts";
import { SysError } from "../abi/errno.ts";
import type { HookInfo } from "../abi/hook.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { lastBackup } from "../backup/last.ts";
import type { SocketPlace } from "../client/socket.ts";
import type { Answer, Holder, Patient, RepoState } from "../doctor/patient.ts";
import { HookFiles } from "../hooks/files.ts";
import { Hooks } from "../hooks/hooks.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import { markFrom, secretsIn } from "../kernel/settings/secrets.ts";
import { bytesOfHome } from "../kernel/storage/drivers.ts";
import type { Clock } from "../lib/clock.ts";
import { type CurrentRows, faultOf, strays } from "../objects/verify.ts";
import { type HomePaths, homePaths, readKernelInfo } from "../paths.ts";
import { faultOf as archiveFault } from "../process/history/archive.ts";
import { choiceText, chooseProvider, keyVariable, OFFLINE } from "../providers/table.ts";
import { findGit, gitAt, programPath } from "../repos/git.ts";
import { hasVersions, headFault, isIndexBroken, isOnMain, repositoriesIn } from "../repos/health.ts";
import { dropStaleLocks, isStale, locksIn } from "../repos/locks.ts";
import { ConnectionLost, dial } from "../rpc/client.ts";
import { type Inspector, inspector } from "../store/inspect.ts";
import { acquireLock, isHeld, lockFault } from "../store/lock.ts";
import { repairs } from "../store/repair.ts";
import { SANDBOX_PATH } from "../targets/sandbox.ts";
import { COMMIT, VERSION } from "../version.ts";
import { keychainOf } from "./keychain.ts";
import { wakeTimer } from "./wake/wake.ts";

const HELLO_MS = 2000;
const RETRY_MS = 50;
/** Time limit for testing a program. */
const PROGRAM_MS = 10_000;
/** NFS, SMB, CIFS, SMB2, 9p, AFS, Ceph, FUSE: their locks depend on a server. */
const REMOTE: readonly number[] = [
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f, 0x00c36400, 0x65735546,
];

export interface DoctorMachine {
  /** The paths, or why GSV_HOME is invalid. */
  readonly home: { readonly paths: HomePaths; readonly socket: () => SocketPlace } | SysError;
  readonly uid: number;
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export async function patientOf({ home, uid, env, clock, random }: DoctorMachine): Promise<Patient> {
  const homeFault = home instanceof SysError ? home : null;
  const { paths, socket } = home instanceof SysError ? nowhere(home) : home;
  const socketPath = () => checked(socket());
  const secrets = secretsIn({ directory: paths.secretsDir, keychain: keychainOf(paths.home, clock) ?? null });
  const databases = inspector(paths);
  return {
    homeFault,
    paths,
    uid,
    env,
    clock,
    about: { version: VERSION, commit: COMMIT, bun: Bun.version },
    databases,
    repairs: repairs(paths),
    bytes: bytesAt({ paths, clock, random }, databases),
    repositories: {
      states: () => repoStates(paths.reposDir, clock.now()),
      freeLocks,
      follow: (gitDir) => follow(gitDir, env.PATH),
    },
    lock: {
      isHeld: () => existsSync(paths.lockFile) && isHeld(paths.lockFile),
      fault: () => lockFault(paths.lockFile),
      holder: () => holderIn(paths),
      hold: (work) => holding(paths, work),
    },
    holdsSecret: async (key, text) => {
      const mark = markFrom(text);
      return mark === null ? null : await secrets.has(key, mark);
    },
    cores: () => new CoreFiles(paths.crashDir).list(null).map(({ at }) => at),
    hooks: () => hooksOf(paths, uid, { databases, clock }),
    lastBackup: () => lastBackup(paths),
    socketPath,
    greet: () => greet({ socketPath, clock, random }),
    terminal: await terminalSize(),
    provider() {
      const hasKey = (name: string) => Boolean(env[keyVariable(name) ?? ""]);
      const choice = chooseProvider({ model: env.GSV_MODEL ?? "", provider: "", hasKey }) ?? OFFLINE;
      return { ...choice, name: choiceText(choice) };
    },
    wakeTimer: wakeTimer({ paths, env, uid, clock, command: [process.execPath] }),
    // As the kernel does: never in the current directory, because the program is run.
    find: (program) => Bun.which(program, { PATH: program === "bwrap" ? SANDBOX_PATH : programPath(env.PATH) }),
    run: (argv) => run(argv, env),
    disk: (path) => {
      const { bavail, bsize, ffree, files, type } = statfsSync(path);
      // Some file systems do not count files.
      return { freeBytes: bavail * bsize, freeFiles: files === 0 ? Infinity : ffree, isRemote: REMOTE.includes(type) };
    },
  };
}

/** The check of databases reports an unreadable kernel.db. */
async function hooksOf(
  { hooksDir }: HomePaths,
  uid: number,
  { databases, clock }: { readonly databases: Inspector; readonly clock: Clock },
): Promise<readonly HookInfo[]> {
  const read = <T>(rows: () => readonly T[]) => {
    try {
      return rows();
    } catch {
      return [];
    }
  };
  const all = async () => read(databases.hooks);
  const hooks = new Hooks({ files: new HookFiles(hooksDir, uid), rows: { all, set: async () => {} }, clock });
  await hooks.load();
  return hooks.list(read(databases.accounts).find((each) => each.uid >= FIRST_HUMAN_UID)?.uid ?? FIRST_HUMAN_UID);
}

const FIRST_HUMAN_UID = 1000;

function repoStates(reposDir: string, now: number): RepoState[] {
  return repositoriesIn(reposDir).map(({ name, gitDir, hasFiles }) => ({
    name,
    gitDir,
    headFault: headFault(gitDir),
    isAway: hasFiles && existsSync(join(gitDir, "HEAD")) && !isOnMain(gitDir),
    isIndexBroken: hasFiles && isIndexBroken(gitDir),
    locks: locksIn(gitDir).map((lock) => ({ name: lock, isStale: isStale(join(gitDir, lock), now) })),
  }));
}

function freeLocks(gitDir: string): readonly string[] {
  const dropped = dropStaleLocks(gitDir);
  if (dropped.length > 0) return dropped;
  throw new SysError("EAGAIN", "git may be running there", ["try again when it is done"]);
}

async function follow(gitDir: string, path: string | undefined): Promise<string | null> {
  const searched = programPath(path);
  const program = findGit(searched);
  if (program === null || !hasVersions(gitDir)) return null;
  const place = { cwd: gitDir, gitDir, hasFiles: false };
  // Throws what it found.
  await gitAt(program, searched)(place, ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"]);
  return null;
}

// Nothing can exist below a file, so this path is safe.
const NOWHERE = "/dev/null/nowhere";

function nowhere(fault: SysError): { paths: HomePaths; socket: () => SocketPlace } {
  return {
    paths: homePaths(NOWHERE),
    socket: () => {
      throw fault;
    },
  };
}

/** Throws if something else is in its place. */
function checked(place: SocketPlace): string {
  place.mayServe();
  return place.path;
}

// The file may hold anything.
function holderIn(paths: HomePaths): Holder | null {
  const info = readKernelInfo(paths);
  return info === null ? null : { pid: info.pid, version: String(info.version), exe: String(info.exe) };
}

function bytesAt(
  machine: { readonly paths: HomePaths; readonly clock: Clock; readonly random: RandomBytes },
  databases: Inspector,
): Patient["bytes"] {
  const keychain = keychainOf(machine.paths.home, machine.clock);
  const stored = () => bytesOfHome({ ...machine, keychain }, databases);
  const known: CurrentRows = {
    get: async (key) => databases.object(key),
    holds: async (sha256) => databases.holds(sha256),
    moving: async () => databases.moving(),
  };
  return {
    where: stored,
    probe: async () => (await stored()).probe(),
    fault: async (object) => faultOf(await stored(), known, object),
    async *strays() {
      for await (const item of strays(await stored(), known)) if (item.kind !== "temporary") yield item;
    },
    async archiveFault(archive) {
      const bytes = await stored();
      return archiveFault({ read: (_key, range) => bytes.read(archive, range) }, archive);
    },
  };
}

async function holding<T>(paths: HomePaths, work: () => Promise<T>): Promise<T> {
  const lock = acquireLock(paths.lockFile);
  if (lock === null) {
    const pid = readKernelInfo(paths)?.pid;
    throw new SysError(
      "EAGAIN",
      `a kernel${pid === undefined ? "" : ` (pid ${pid})`} is running; this needs it stopped`,
      ["gsv kernel stop"],
    );
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

// A kernel holds the lock for a moment before and after it answers.
async function greet({
  socketPath,
  clock,
  random,
}: Pick<DoctorMachine, "clock" | "random"> & { readonly socketPath: () => string }): Promise<Answer> {
  const info = { clientId: uuidv7(clock.now(), random), version: VERSION, cwd: "/", env: {} };
  const until = clock.mono() + HELLO_MS;
  for (;;) {
    try {
      const link = await dial({ socketPath: socketPath(), info, clock, helloMs: HELLO_MS });
      link.close();
      return { how: "ready", version: link.kernel.version };
    } catch (error) {
      if (!(error instanceof ConnectionLost)) return { how: "absent" };
      if (error.how === "silent" || clock.mono() > until) return { how: error.how === "silent" ? "silent" : "absent" };
    }
    await clock.sleep(RETRY_MS);
  }
}

async function terminalSize(): Promise<Patient["terminal"]> {
  const { isatty, WriteStream } = await import("node:tty");
  if (!isatty(1)) return { isTTY: false, columns: 0, rows: 0 };
  const { columns, rows } = new WriteStream(1);
  return { isTTY: true, columns, rows };
}

async function run(argv: readonly string[], env: DoctorMachine["env"]): Promise<{ status: number; says: string }> {
  const child = Bun.spawn([...argv], {
    cwd: "/",
    env: { PATH: programPath(env.PATH), HOME: env.HOME ?? "/", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PROGRAM_MS,
  });
  const [out, error, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, says: (out || error).trim().split("\n")[0] ?? "" };
}

export function placesOf(paths: HomePaths, socket: () => SocketPlace, program: string): readonly Place[] {
  const { home, kernelDb, procDir, objectsDir, reposDir, runDir, lockFile, kernelInfo, logDir, kernelLog } = paths;
  const { spoolDir, crashDir, backupDir, quarantineDir, secretsDir, hooksDir } = paths;
  return [
    { name: "home", path: home },
    { name: "kernelDb", path: kernelDb },
    { name: "processes", path: procDir },
    { name: "objects", path: objectsDir },
    { name: "repos", path: reposDir },
    { name: "run", path: runDir },
    { name: "lock", path: lockFile },
    { name: "socket", path: socketAt(socket) },
    { name: "kernelInfo", path: kernelInfo },
    { name: "logs", path: logDir },
    { name: "kernelLog", path: kernelLog },
    { name: "spool", path: spoolDir },
    { name: "crash", path: crashDir },
    { name: "backup", path: backupDir },
    { name: "quarantine", path: quarantineDir },
    { name: "secrets", path: secretsDir },
    { name: "hooks", path: hooksDir },
    { name: "program", path: program },
  ];
}

/** null if there cannot be a socket; doctor reports why. */
function socketAt(socket: () => SocketPlace): string | null {
  try {
    return checked(socket());
  } catch {
    return null;
  }
}
