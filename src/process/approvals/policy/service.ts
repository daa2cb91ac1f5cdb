// The service behind policy.* and proc.mode: lists, adds and removes rules, explains the verdict on a command, and sets the mode of a process.
// Processes can only read: the calls that change anything are declared for people.

import { isAbsolute } from "node:path";
import { SysError } from "../../../abi/errno.ts";
import type { Caller } from "../../../abi/identity.ts";
import { initPid, isWorkspaceId } from "../../../abi/ids.ts";
import { type Mode, ruleFrom, type StandingRule } from "../../../abi/policy.ts";
import { visibleProcess } from "../../../kernel/registry.ts";
import { settingsFor } from "../../../kernel/settings/config.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { NewRule, PolicyService, ShownRule } from "../../../syscalls/approval/policy.ts";
import type { Ledger } from "../../life/ledger.ts";
import type { Judge } from "./judge.ts";
import type { Policies } from "./policies.ts";

export interface PolicyPorts {
  readonly kernel: KernelStore;
  readonly policies: Policies;
  readonly judge: Judge;
  readonly mayBe: (mode: Mode) => Promise<void>;
  readonly ledger: Pick<Ledger, "emit">;
}

export function policyService({ kernel, policies, judge, mayBe, ledger }: PolicyPorts): PolicyService {
  async function withDirectory(rule: StandingRule): Promise<ShownRule> {
    const directory = isWorkspaceId(rule.place ?? "")
      ? (await kernel.workspaces.get(rule.place ?? ""))?.directory
      : null;
    return directory == null ? rule : { ...rule, directory };
  }

  return {
    async list({ caller }) {
      const standing = await Promise.all((await policies.list(caller.ownerUid)).map(withDirectory));
      const row = await kernel.processes.get(initPid(caller.ownerUid));
      const layers = row === null ? [] : await policies.written(caller.ownerUid, row.profile);
      const written = layers.flatMap(({ name, policy }) =>
        policy.rules.map(
          (rule, index): ShownRule => ({ id: `${index + 1}`, rule, place: null, by: name, createdAt: null }),
        ),
      );
      return { rules: [...standing, ...written] };
    },

    async add({ caller }, given) {
      const place = given.place ?? null;
      if (place !== null && !isAbsolute(place) && !/^(?:ws|dir)_/.test(place))
        throw new SysError("EINVAL", `not a workspace or an absolute path: ${place}`);
      return await policies.add(caller.ownerUid, { rule: ruleOf(given), place, by: caller.username });
    },

    async revoke({ caller }, id) {
      await policies.revoke(caller.ownerUid, id);
      return { id };
    },

    async explain({ caller, client }, { command, target, cwd = client?.cwd || undefined, network, pid }) {
      const row = await visibleProcess(kernel, caller, pid ?? caller.pid ?? initPid(caller.ownerUid));
      const where = target === "host" && cwd !== undefined ? { cwd } : {};
      const args = { command, target, ...where, ...(network && { network }) };
      const { verdict, what, about, parts } = await judge.judge(row, { tool: "Shell", call: "shell.exec", args });
      const refused = verdict.action === "refuse" ? verdict.why.split("\n").slice(0, 1) : [];
      const reasons = [...about.reasons, ...refused];
      return {
        pid: row.pid,
        mode: row.mode,
        action: verdict.action,
        what: refused.length > 0 ? "" : what,
        reasons,
        parts,
      };
    },

    async planAccepted({ caller }) {
      if (caller.pid === undefined) throw new SysError("EINVAL", "only agents present plans, with the tool Plan");
      const { pid, mode } = await visibleProcess(kernel, caller, caller.pid);
      return { pid, mode };
    },

    async mode({ caller }, pid, mode) {
      const row = await visibleProcess(kernel, caller, pid);
      if (mode === undefined) return { pid: row.pid, mode: row.mode };
      await mayBe(mode);
      await setMode({ kernel, ledger }, row, mode);
      return { pid: row.pid, mode };
    },
  };
}

export async function setMode(
  { kernel, ledger }: Pick<PolicyPorts, "kernel" | "ledger">,
  row: ProcessRow,
  mode: Mode,
): Promise<void> {
  await kernel.processes.set(row.pid, { mode });
  ledger.emit(row, { name: "process.mode", mode });
}

function ruleOf({ action, match, target, command, path, tag }: NewRule) {
  const argPrefix = { ...(command !== undefined && { command }), ...(path !== undefined && { path }) };
  const when = {
    ...(Object.keys(argPrefix).length > 0 && { argPrefix }),
    ...(tag !== undefined && { anyTag: [tag] }),
  };
  return ruleFrom(
    { match, action, ...(target !== undefined && { target }), ...(Object.keys(when).length > 0 && { when }) },
    "the rule",
  );
}

export interface YoloPorts {
  readonly kernel: Pick<KernelStore, "config">;
  readonly sandbox: () => Promise<string | null>;
  readonly osUid: number;
}

export function modeFloor({ kernel, sandbox, osUid }: YoloPorts): (mode: Mode) => Promise<void> {
  return async (mode) => {
    if (mode !== "yolo" || (await sandbox()) !== null) return;
    if (osUid === 0)
      throw new SysError("EPERM", "mode yolo needs a sandbox: gsv runs as root and this computer has none", [
        "install bubblewrap: apt install bubblewrap",
      ]);
    const forced = (await settingsFor(kernel.config, { uid: 0, client: undefined }))("ai.tools.yoloWithoutSandbox");
    if (forced.text === "true") return;
    throw new SysError("EPERM", "mode yolo needs a sandbox, and this computer has none", [
      "install bubblewrap, or: gsv --user root config set --system ai.tools.yoloWithoutSandbox true",
    ]);
  };
}

/** Mode of a new process: set by a person, or the mode of the parent process. */
export async function modeOfNew(
  caller: Caller,
  wanted: Mode | undefined,
  { own, mayBe }: { readonly own: Mode | null; readonly mayBe: (mode: Mode) => Promise<void> },
): Promise<Mode> {
  if (caller.kind === "person") {
    const mode = wanted ?? "ask";
    await mayBe(mode);
    return mode;
  }
  if (wanted !== undefined && wanted !== own)
    throw new SysError("EPERM", "only the user can set the mode of a process", ["leave out mode"]);
  return own ?? "ask";
}
