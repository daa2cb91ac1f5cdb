// The verdict on a command as a kernel would give it, for files and programs that a test describes.

import { Bash } from "just-bash/browser";
import type { Rule } from "../../src/abi/policy.ts";
import type { HostGround } from "../../src/kernel/shells/host-launcher.ts";
import { looksAt, shellLine } from "../../src/process/approvals/policy/shell-line.ts";
import type { ParseShell } from "../../src/process/approvals/policy/shell-parts.ts";
import { type ShellVerdict, shellVerdict } from "../../src/process/approvals/policy/shell-verdict.ts";
import type { ExecRequest } from "../../src/syscalls/run/shell-service.ts";

const bash = new Bash({ defenseInDepth: false, commands: [] });
export const parseShell: ParseShell = (text) => bash.transform(text).ast;

export const GROUND = {
  directory: "/app",
  attached: true,
  sandbox: "bwrap",
  ssh: { remote: false, keys: true },
} as const;

export interface Judging {
  readonly rules?: readonly Rule[];
  readonly request?: Partial<ExecRequest>;
  readonly ground?: Partial<HostGround>;
  readonly isFree?: boolean;
}

/** Names below the directory are taken for files in it. */
function looksBelow(command: string): readonly boolean[] | null {
  const isBelow = (name: string) => !/^[/~]/.test(name) && !name.split("/").includes("..");
  return looksAt(command)?.map((looks) => looks?.names.every(isBelow) ?? false) ?? null;
}

export async function judgeOn(
  target: "gsv" | "host",
  command: string,
  { rules = [], request = {}, ground, isFree = false }: Judging = {},
): Promise<ShellVerdict> {
  return shellVerdict({
    request: { command, target, ...request },
    ground: target === "gsv" ? null : { ...GROUND, looks: looksBelow(command), ...ground },
    line: await shellLine(command, async () => parseShell),
    layers: [{ name: "your policy", policy: { rules } }],
    profile: "task",
    cwd: "/home/sam",
    isFree,
  });
}
