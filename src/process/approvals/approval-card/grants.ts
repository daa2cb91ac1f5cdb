// What approval gives a command in the sandbox: what it needs, and what its first run failed without. Pure.

import { type Grant, grantsText } from "../../../abi/grants.ts";
import type { HostGround } from "../../../kernel/shells/host-launcher.ts";
import type { ExecRequest } from "../../../syscalls/run/shell-service.ts";
import type { CommandNeeds } from "./command-needs.ts";

interface GrantCase {
  readonly request: ExecRequest;
  readonly needs: CommandNeeds;
  readonly ground: HostGround | null;
  readonly withheld: readonly Grant[];
}

export function grantsFor({ request, needs, ground, withheld }: GrantCase): readonly Grant[] {
  const wantsSsh = needs.ssh === "yes" || (needs.ssh === "by remote" && ground?.ssh.remote === true);
  const known: readonly Grant[] = [
    ...(request.network === true || needs.network ? (["network"] as const) : []),
    ...(wantsSsh && ground?.ssh.keys === true ? (["ssh"] as const) : []),
    ...(needs.git === "settings" ? (["git-settings"] as const) : []),
  ];
  return [...new Set([...known, ...withheld])];
}

interface Reach {
  readonly grants: readonly Grant[];
  /** A path in gsv leads to files of the host. */
  readonly onDisk: boolean;
}

/** Where a command runs, and with what. */
export function groundWords(ground: HostGround | null, { grants, onDisk }: Reach): string {
  if (ground === null) return onDisk ? "run in gsv, on files of this computer" : "run in gsv";
  const where = `run on this computer in ${ground.directory}`;
  if (ground.sandbox === null) return `${where}, with NO SANDBOX: it can do everything you can`;
  const granted = grants.length === 0 ? "" : `with ${grantsText(grants)}, for this command only`;
  if (grants.includes("network")) return `${where}, in a sandbox ${granted}`;
  return `${where}, in a sandbox without network${granted === "" ? "" : `, ${granted}`}`;
}
