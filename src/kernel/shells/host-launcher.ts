// Commands on the target host, for the owner of this home and, with approval, for their agents. Without approval an agent's command runs only if
// a rule or the mode allows it, and then in a sandbox.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Grant } from "../../abi/grants.ts";
import type { Caller } from "../../abi/identity.ts";
import { mayUse } from "../../abi/identity.ts";
import { type Environment, hostEnvironment } from "../../lib/host-environment.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ShellRequest } from "../../syscalls/run/shell-service.ts";
import { type GitGuard, type GitWrites, gitGuard } from "../../targets/git-guard.ts";
import { Placeholders } from "../../targets/git-placeholders.ts";
import type { HostJob, HostJobs } from "../../targets/host-jobs.ts";
import { BASH } from "../../targets/leader.ts";
import { type Confinement, NO_GRANTS, type Sandbox } from "../../targets/sandbox.ts";
import type { ChildRequest } from "../../targets/spawn.ts";
import type { HostDirectories, HostDirectory } from "../workspaces/host-directories.ts";
import { hasSshRemote } from "./git-remotes.ts";
import { hasSshKeys, openedBy, withheldFrom } from "./host-grants.ts";
import { isPlainRepository } from "./safe-git.ts";

export interface HostLauncherPorts {
  readonly host: HostJobs;
  readonly places: HostDirectories;
  readonly sandbox: () => Promise<Sandbox | null>;
  readonly env: Environment;
  /** The kernel's own environment, for the person's home and agents. */
  readonly personsEnv: { readonly [name: string]: string | undefined };
  /** Paths that the sandbox hides and shows. */
  readonly surroundings: () => Pick<Confinement, "hidden" | "resolver">;
  readonly isPersonOfHome: (uid: number) => Promise<boolean>;
  readonly rowOf: (pid: string) => Promise<ProcessRow | null>;
  readonly needs: (script: string) => Promise<LineNeeds>;
  /** What each command of a line reads; null for commands that do more, and for lines that are not plain. */
  readonly looksAt: (script: string) => readonly (Looks | null)[] | null;
}

interface LineNeeds {
  readonly network: boolean;
  readonly git: "read" | "write" | "settings";
}

interface Looks {
  readonly names: readonly string[];
  /** The repository must not run programs. */
  readonly git?: true;
  /** Directory of a `cd`. */
  readonly moves?: string;
}

export interface HostGround extends HostDirectory {
  /** For each command: true if it only reads files of the directory. null if the line is not plain. */
  readonly looks: readonly boolean[] | null;
  /** null if this computer has none. */
  readonly sandbox: string | null;
  /** The repository has an SSH remote, and the person has keys for it. */
  readonly ssh: { readonly remote: boolean; readonly keys: boolean };
}

/** A program that serves the kernel. `release`: it has ended. */
export interface ServingChild extends Pick<ChildRequest, "argv" | "directory" | "env"> {
  readonly release: () => void;
}

const STANDS_MAX = 8;
/** Where package runners keep what they have fetched, below the person's home. */
const CACHES = [".npm", ".cache", ".local/share/uv"];

export class HostLauncher {
  private readonly placeholders = new Placeholders();

  constructor(private readonly ports: HostLauncherPorts) {}

  /** A retry finds the command that it started. */
  async start(context: CallContext, request: ShellRequest): Promise<HostJob> {
    const { caller } = context;
    await this.authorise(caller);
    const known = this.ports.host.get(caller.uid, request.id);
    if (known !== null && known.meta.script !== request.script)
      throw new SysError("ECONFLICT", `${request.id} is the id of another command`);
    if (known !== null) return known;
    if (Buffer.byteLength(request.script) > LIMITS.hostScriptBytesMax)
      throw new SysError("EINVAL", `script too long: the limit is ${LIMITS.hostScriptBytesMax / 1024} KiB`, [
        "write it to a file on this computer and run that",
      ]);
    const directory = await this.directoryFor(context, request);
    if (request.bare === true && caller.kind !== "person")
      throw new SysError("EPERM", "agents cannot use --no-sandbox");
    const sandbox = request.bare === true ? null : await this.ports.sandbox();
    // The card showed that approval grants the network.
    const isAllowed = caller.approved === true || caller.allowedByRuleOrMode === true;
    const { granted = [] } = caller;
    const needs = await this.ports.needs(request.script);
    const network =
      caller.kind === "person" ||
      request.network === true ||
      granted.includes("network") ||
      (isAllowed && needs.network);
    const writes = caller.kind === "person" ? "everything" : gitWrites(granted, isAllowed ? needs.git : "read");
    return this.launch(caller, request, { directory, sandbox, network, granted, writes });
  }

  /** What the sandbox withheld from a command that failed, as far as its output tells. */
  withheld({ meta: { sandbox, grants, directory } }: HostJob, output: string): readonly Grant[] {
    if (sandbox === null || grants === undefined) return [];
    const { surroundings, personsEnv: env } = this.ports;
    const hasRepository = gitGuard(directory, "nothing").readOnly.length > 0;
    return withheldFrom({ output, directory, granted: grants, hasRepository }, { hidden: surroundings().hidden, env });
  }

  /** Where a process's command would run, for the verdict and the card. */
  async ground(row: ProcessRow, script: string, cwd: string | undefined): Promise<HostGround> {
    const { places, sandbox, looksAt } = this.ports;
    const place = await places.ofProcess(row, cwd);
    const looks = this.looking(place.directory, looksAt(script));
    const ssh = { remote: hasSshRemote(place.directory), keys: hasSshKeys(this.ports.personsEnv) };
    return { ...place, looks, sandbox: (await sandbox())?.name ?? null, ssh };
  }

  /** For each command: true if it only reads files of the directory, whatever `cd` came before. */
  private looking(directory: string, line: readonly (Looks | null)[] | null): readonly boolean[] | null {
    const { places } = this.ports;
    const stands = new Set([directory]);
    let isKnown = true;
    const holds = ({ names, git, moves }: Looks) => {
      const isInside = [...stands].every(
        (from) => places.holds(directory, names, from) && (git !== true || isPlainRepository(from)),
      );
      if (moves === undefined) return isKnown && isInside;
      // The `cd` may not run, depending on the command before.
      for (const from of [...stands]) stands.add(resolve(from, moves));
      isKnown &&= isInside && stands.size <= STANDS_MAX && [...stands].every((from) => places.isPlain(from));
      return isKnown;
    };
    return line?.map((each) => each !== null && holds(each)) ?? null;
  }

  /** How a program starts that serves the kernel and stays: in the sandbox, with the network; it writes its directory and caches. */
  async serving(argv: readonly string[], directory: string): Promise<() => ServingChild> {
    const { surroundings, env, personsEnv } = this.ports;
    const sandbox = await this.ports.sandbox();
    const writable = CACHES.map((name) => resolve(personsEnv.HOME ?? "/", name)).filter((path) => existsSync(path));
    const granted = { ...NO_GRANTS, writable };
    const place = { directory, network: true, terminal: true, tmp: env.TMPDIR ?? "/tmp", granted };
    return () => {
      const { guard: git, release } = this.guarding(sandbox, gitGuard(directory, "nothing"));
      return {
        argv: sandbox?.wrap(argv, { ...place, ...surroundings(), git }) ?? argv,
        ...{ directory, release },
        env: { ...env, ...sandbox?.env, PWD: directory },
      };
    };
  }

  /** What is guarded has to exist in this sandbox; others can guard absent paths. */
  private guarding(sandbox: Sandbox | null, wanted: GitGuard): ReturnType<Placeholders["place"]> {
    return sandbox?.name === "bwrap" ? this.placeholders.place(wanted) : { guard: wanted, release: () => {} };
  }

  async sandboxName(): Promise<string | null> {
    return (await this.ports.sandbox())?.name ?? null;
  }

  private launch(
    caller: Caller,
    request: ShellRequest,
    {
      directory,
      sandbox,
      network,
      granted,
      writes,
    }: {
      readonly directory: string;
      readonly sandbox: Sandbox | null;
      readonly network: boolean;
      readonly granted: readonly Grant[];
      readonly writes: GitWrites;
    },
  ): HostJob {
    const { host, surroundings, env: kernelEnv, personsEnv } = this.ports;
    const { id, script, name = "gsv", args = [], fed = false } = request;
    const env = caller.kind === "person" && request.env !== undefined ? environmentFrom(request.env) : kernelEnv;
    const around = surroundings();
    const opened = sandbox === null ? NO_GRANTS : openedBy(granted, { hidden: around.hidden, env: personsEnv });
    const { guard: git, release } = this.guarding(sandbox, gitGuard(directory, writes));
    const place = { directory, network, git, terminal: false, tmp: env.TMPDIR ?? "/tmp" };
    const had: readonly Grant[] = [...(network ? (["network"] as const) : []), ...granted];
    const bash = [BASH, "--noprofile", "--norc", "-c", script, name, ...args];
    try {
      const job = host.start({
        meta: {
          ...{ id, uid: caller.uid, ownerUid: caller.ownerUid, pid: caller.pid ?? null, script, directory },
          ...(caller.kind === "process" && { grants: [...new Set(had)] }),
          timeoutMs: request.timeoutMs ?? (caller.kind === "person" ? LIMITS.shellWallMsMax : LIMITS.hostWallMs),
        },
        argv: sandbox?.wrap(bash, { ...place, ...around, granted: opened }) ?? bash,
        sandbox: sandbox?.name ?? null,
        env: { ...env, ...sandbox?.env, ...opened.env, PWD: directory },
        stdin: fed ? "open" : Buffer.from(request.stdin ?? "", "base64"),
      });
      void job.ended.then(release);
      return job;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Throws if the caller may not use the host. */
  async authorise(caller: Caller): Promise<void> {
    const isOfHost = caller.kind === "person" || caller.kind === "process";
    if (!isOfHost || !mayUse(caller, "shell.host"))
      throw new SysError("EPERM", `${caller.pid ?? caller.username} may not use the host (needs shell.host)`);
    if (!(await this.ports.isPersonOfHome(caller.ownerUid)))
      throw new SysError("EPERM", `${caller.username} may not use the host: only the owner of this home can`);
  }

  private async directoryFor({ caller, client }: CallContext, request: ShellRequest): Promise<string> {
    const { places, rowOf, personsEnv } = this.ports;
    // A client on another computer has no directory here.
    if (caller.pid === undefined) return places.real(request.cwd ?? (client?.cwd || personsEnv.HOME || "/"));
    const row = await rowOf(caller.pid);
    if (row === null) throw new SysError("ESRCH", `no such process: ${caller.pid}`);
    const { directory, attached, looks, sandbox } = await this.ground(row, request.script, request.cwd);
    const looksOnly = looks?.every((each) => each) === true && !request.fed && !request.network;
    const isFree = attached && sandbox !== null && (looksOnly || caller.allowedByRuleOrMode === true);
    if (caller.allowed !== undefined && caller.allowed !== directory)
      throw new SysError("EPERM", `approved for ${caller.allowed}, but the command would run in ${directory}`);
    if (caller.approved !== true && !isFree)
      throw new SysError("EBLOCKED", "commands on the host need the user's approval", ["use the tool Shell"]);
    if (!attached) await places.attach(row, directory);
    return directory;
  }
}

function gitWrites(granted: readonly Grant[], needed: LineNeeds["git"]): GitWrites {
  if (granted.includes("git-settings")) return "everything";
  return granted.includes("git") || needed !== "read" ? "commits" : "nothing";
}

function environmentFrom(env: readonly string[]): Environment {
  return hostEnvironment(
    Object.fromEntries(env.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)])),
  );
}
