// Reads the files that judging a call needs: the policy of a repository, and the text that an edit would change.

import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Namespace } from "../../../../fs/namespace.ts";
import { SysError } from "../../../abi/errno.ts";
import type { Caller } from "../../../abi/identity.ts";
import type { Callers } from "../../../kernel/accounts/accounts.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { FileTarget } from "../../../syscalls/fs/files-service.ts";

const POLICY_FILE = ".gsv/policy.json";
const POLICY_BYTES_MAX = 64 * 1024;
const SHOWN_BYTES_MAX = 256 * 1024;

export interface PolicyFilePorts {
  readonly kernel: Pick<KernelStore, "workspaces">;
  readonly callers: Pick<Callers, "process">;
  readonly gsv: Namespace;
  readonly host: Namespace;
}

export class PolicyFiles {
  constructor(private readonly ports: PolicyFilePorts) {}

  /** The policy in a directory of the host, else in the workspace of the process; null if there is none. */
  async repository(row: ProcessRow, directory: string | null): Promise<string | null> {
    const { kernel, gsv } = this.ports;
    const workspace = row.workspaceId === null ? null : await kernel.workspaces.get(row.workspaceId);
    const onHost = directory ?? workspace?.directory ?? null;
    if (onHost !== null) return hostFile(join(onHost, POLICY_FILE));
    if (workspace === null) return null;
    const path = `/workspaces/${workspace.id}/${POLICY_FILE}`;
    return await this.read(gsv, row, { path, bytesMax: POLICY_BYTES_MAX });
  }

  /** null unless the file is short enough and text. */
  async text(row: ProcessRow, path: string, target: FileTarget): Promise<string | null> {
    const { gsv, host } = this.ports;
    return await this.read(target === "gsv" ? gsv : host, row, { path, bytesMax: SHOWN_BYTES_MAX });
  }

  private async read(
    namespace: Namespace,
    row: ProcessRow,
    { path, bytesMax }: { readonly path: string; readonly bytesMax: number },
  ): Promise<string | null> {
    const caller: Caller = await this.ports.callers.process(row);
    try {
      const { bytes, eof } = await namespace.read(caller, path, { offset: 0, bytesMax });
      return eof ? new TextDecoder("utf-8", { fatal: true }).decode(bytes) : null;
    } catch (error) {
      if (error instanceof SysError || error instanceof TypeError) return null;
      throw error;
    }
  }
}

/** An unreadable policy is returned as "", which is invalid and makes every call ask. */
function hostFile(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile() || stat.size > POLICY_BYTES_MAX) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
