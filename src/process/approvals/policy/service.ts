// The service behind policy.* and proc.mode: rules listed, added and taken away, what would become of a command, and the mode of a process.
// A process asks and never changes: the calls that change are declared for people alone, and the modes that free most have a floor here.

import { isAbsolute } from "node:path";
import { SysError } from "../../../abi/errno.ts";
import type { Caller } from "../../../abi/identity.ts";
import { initPid } from "../../../abi/ids.ts";
import { type Mode, ruleFrom } from "../../../abi/policy.ts";
import { visibleProcess } from "../../../kernel/registry.ts";
import { settingsFor } from "../../../kernel/settings/config.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { NewRule, PolicyService, ShownRule } from "../../../syscalls/approval/policy-service.ts";
import type { Judge } from "./judge.ts";
import type { Policies } from "./policies.ts";

export interface PolicyPorts {
  readonly kernel: KernelStore;
  readonly policies: Policies;
  readonly judge: Judge;
  readonly mayBe: (mode: Mode) => Promise<void>;
}

export function policyService({ kernel, policies, judge, mayBe }: PolicyPorts): PolicyService {
  return {
    async list({ caller }) {
      const standing = await policies.list(caller.ownerUid);
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
        throw new SysError("EINVAL", `${place} is neither a workspace nor an absolute directory`);
      return await policies.add(caller.ownerUid, { rule: ruleOf(given), place, by: caller.username });
    },

    async revoke({ caller }, id) {
      await policies.revoke(caller.ownerUid, id);
      return { id };
    },

    async explain({ caller, client }, { command, target, cwd = client?.cwd, network, pid }) {
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

    async mode({ caller }, pid, mode) {
      const row = await visibleProcess(kernel, caller, pid);
      if (mode === undefined) return { pid: row.pid, mode: row.mode };
      await mayBe(mode);
      await kernel.processes.mode(row.pid, mode);
      return { pid: row.pid, mode };
    },
  };
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

/** Mode yolo is for where a sandbox bounds what it does. */
export function modeFloor({ kernel, sandbox, osUid }: YoloPorts): (mode: Mode) => Promise<void> {
  return async (mode) => {
    if (mode !== "yolo" || (await sandbox()) !== null) return;
    if (osUid === 0)
      throw new SysError("EPERM", "mode yolo is refused: gsv runs as root here, and this machine has no sandbox", [
        "install bubblewrap: apt install bubblewrap",
      ]);
    const forced = (await settingsFor(kernel.config, { uid: 0, client: undefined }))("ai.tools.yoloWithoutSandbox");
    if (forced.text === "true") return;
    throw new SysError("EPERM", "mode yolo is refused: this machine has no sandbox", [
      "install bubblewrap, or: gsv --user root config set --system ai.tools.yoloWithoutSandbox true",
    ]);
  };
}

/** What a new process may: what a person says, and never more than the process that starts it. */
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
    throw new SysError("EPERM", "only a person says how much a process may do", ["leave mode out"]);
  return own ?? "ask";
}
