// Commands on the target host, as a kernel lets people and agents have them. The host belongs to whoever's account of the machine this home
// lies in: that person, and their agents with that person's yes to each command. A command that nobody approved runs only where the rules
// say that none need be asked, and then in a sandbox.

import { resolve } from "node:path";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { mayUse } from "../../abi/identity.ts";
import { type Environment, hostEnvironment } from "../../lib/host-environment.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ShellRequest } from "../../syscalls/run/shell-service.ts";
import type { HostCommand, HostCommands } from "../../targets/host.ts";
import { BASH } from "../../targets/leader.ts";
import type { Confinement, Sandbox } from "../../targets/sandbox.ts";
import type { HostDirectories, HostDirectory } from "../workspaces/host-directories.ts";
import { isPlainRepository } from "./safe-git.ts";

export interface HostShellsPorts {
  readonly host: HostCommands;
  readonly places: HostDirectories;
  readonly sandbox: () => Promise<Sandbox | null>;
  readonly env: Environment;
  /** What the machine hides and shows now. */
  readonly surroundings: () => Pick<Confinement, "hidden" | "resolver">;
  readonly isPersonOfHome: (uid: number) => Promise<boolean>;
  readonly rowOf: (pid: string) => Promise<ProcessRow | null>;
  /** Whether a line cannot do its work without the network. */
  readonly needsNetwork: (script: string) => Promise<boolean>;
  /** What each command of a line only looks at; null for one that does more, and for a line that says more than words. */
  readonly looksAt: (script: string) => readonly (Looks | null)[] | null;
}

interface Looks {
  readonly names: readonly string[];
  /** Git has to be known to run nothing there. */
  readonly git?: true;
  /** A directory that what follows may stand in. */
  readonly moves?: string;
}

export interface HostGround extends HostDirectory {
  /** Which commands of it are known to do no more than look at what lies there; null where the line is not read. */
  readonly looks: readonly boolean[] | null;
  /** Null where the machine has none. */
  readonly sandbox: string | null;
}

const STANDS_MAX = 8;

export class HostShells {
  constructor(private readonly ports: HostShellsPorts) {}

  /** The same request again finds what it started. */
  async start(context: CallContext, request: ShellRequest): Promise<HostCommand> {
    const { caller } = context;
    await this.authorise(caller);
    const known = this.ports.host.get(caller.uid, request.id);
    if (known !== null && known.meta.script !== request.script)
      throw new SysError("ECONFLICT", `${request.id} names another command`);
    if (known !== null) return known;
    if (Buffer.byteLength(request.script) > LIMITS.hostScriptBytesMax)
      throw new SysError("EINVAL", `the script is longer than ${LIMITS.hostScriptBytesMax / 1024} KiB`, [
        "put it into a file of the host and run that",
      ]);
    const directory = await this.directoryFor(context, request);
    if (request.bare === true && caller.kind !== "person")
      throw new SysError("EPERM", "only a person goes without the sandbox");
    const sandbox = request.bare === true ? null : await this.ports.sandbox();
    // Whoever allowed it saw that it gets the network.
    const isAllowed = caller.approved === true || caller.lifted === true;
    const network =
      caller.kind === "person" ||
      request.network === true ||
      (isAllowed && (await this.ports.needsNetwork(request.script)));
    return this.launch(caller, request, { directory, sandbox, network });
  }

  /** Where a process's command would run, and what is known of it: what a rule or a person decides by. */
  async ground(row: ProcessRow, script: string, cwd: string | undefined): Promise<HostGround> {
    const { places, sandbox, looksAt } = this.ports;
    const place = await places.ofProcess(row, cwd);
    const looks = this.looking(place.directory, looksAt(script));
    return { ...place, looks, sandbox: (await sandbox())?.name ?? null };
  }

  /** Which of a line's commands look at nothing but what lies in the directory, wherever a `cd` before them may have led. */
  private looking(directory: string, line: readonly (Looks | null)[] | null): readonly boolean[] | null {
    const { places } = this.ports;
    const stands = new Set([directory]);
    let isKnown = true;
    const holds = ({ names, git, moves }: Looks) => {
      const isInside = [...stands].every(
        (from) => places.holds(directory, names, from) && (git !== true || isPlainRepository(from)),
      );
      if (moves === undefined) return isKnown && isInside;
      // Whether it goes there may depend on the command before.
      for (const from of [...stands]) stands.add(resolve(from, moves));
      isKnown &&= isInside && stands.size <= STANDS_MAX && [...stands].every((from) => places.isPlain(from));
      return isKnown;
    };
    return line?.map((each) => each !== null && holds(each)) ?? null;
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
    }: { readonly directory: string; readonly sandbox: Sandbox | null; readonly network: boolean },
  ): HostCommand {
    const { host, surroundings, env: kernelEnv } = this.ports;
    const { id, script, name = "gsv", args = [], fed = false } = request;
    const env = caller.kind === "person" && request.env !== undefined ? told(request.env) : kernelEnv;
    const confinement = () => ({
      ...{ directory, network, terminal: false, tmp: env.TMPDIR ?? "/tmp" },
      ...surroundings(),
    });
    const bash = [BASH, "--noprofile", "--norc", "-c", script, name, ...args];
    return host.start({
      meta: {
        ...{ id, uid: caller.uid, ownerUid: caller.ownerUid, pid: caller.pid ?? null, script, directory },
        timeoutMs: request.timeoutMs ?? (caller.kind === "person" ? LIMITS.shellWallMsMax : LIMITS.hostWallMs),
      },
      argv: sandbox?.wrap(bash, confinement()) ?? bash,
      sandbox: sandbox?.name ?? null,
      env: { ...env, ...sandbox?.env, PWD: directory },
      stdin: fed ? "open" : Buffer.from(request.stdin ?? "", "base64"),
    });
  }

  /** Refuses whoever may not use the host at all. */
  async authorise(caller: Caller): Promise<void> {
    const isOfHost = caller.kind === "person" || caller.kind === "process";
    if (!isOfHost || !mayUse(caller, "shell.host"))
      throw new SysError("EPERM", `${caller.pid ?? caller.username} may not use the host (needs shell.host)`);
    if (!(await this.ports.isPersonOfHome(caller.ownerUid)))
      throw new SysError("EPERM", `the host is for the person whose home this is, not for ${caller.username}`);
  }

  private async directoryFor({ caller, client }: CallContext, request: ShellRequest): Promise<string> {
    const { places, rowOf } = this.ports;
    if (caller.pid === undefined) return places.real(request.cwd ?? client?.cwd ?? "/");
    const row = await rowOf(caller.pid);
    if (row === null) throw new SysError("ESRCH", `no such process: ${caller.pid}`);
    const { directory, attached, looks, sandbox } = await this.ground(row, request.script, request.cwd);
    const looksOnly = looks?.every((each) => each) === true && !request.fed && !request.network;
    const isFree = attached && sandbox !== null && (looksOnly || caller.lifted === true);
    if (caller.allowed !== undefined && caller.allowed !== directory)
      throw new SysError(
        "EPERM",
        `what was allowed is a command in ${caller.allowed}, and it would run in ${directory}`,
      );
    if (caller.approved !== true && !isFree)
      throw new SysError("EBLOCKED", "a command on the host needs a person's approval", ["use the tool Shell"]);
    if (!attached) await places.attach(row, directory);
    return directory;
  }
}

function told(env: readonly string[]): Environment {
  return hostEnvironment(
    Object.fromEntries(env.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)])),
  );
}
