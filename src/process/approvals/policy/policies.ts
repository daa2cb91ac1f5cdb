// The policies that apply to a process, the narrowest first: always-rules of the directory and of everywhere, the account's policies, the home's,
// and the policy of the repository, which can only add asks and denials. Only people change rules.

import type { SettingName } from "../../../abi/config/config.ts";
import { messageOf, SysError } from "../../../abi/errno.ts";
import { approvalId, type RandomBytes } from "../../../abi/ids.ts";
import { type Policy, parsePolicy, type Rule, type StandingRule } from "../../../abi/policy.ts";
import type { Approval, Profile } from "../../../abi/process/process.ts";
import { settingsFor } from "../../../kernel/settings/config.ts";
import type { Clock } from "../../../lib/clock.ts";
import { clip } from "../../../lib/text/truncate.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import { asCalled } from "../../run/tool-servers.ts";
import type { Layer } from "./rules.ts";

export interface PoliciesPorts {
  readonly kernel: Pick<KernelStore, "policies" | "config">;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The policy of the schedule that started the process; null if there is none. */
  readonly ofSchedule: (row: ProcessRow) => Promise<Layer | null>;
  /** The policy file of the process's repository; null if there is none. */
  readonly repository: (row: ProcessRow, directory: string | null) => Promise<string | null>;
}

const RULES_MAX = 1000;

export class Policies {
  constructor(private readonly ports: PoliciesPorts) {}

  async layers(row: ProcessRow, directory: string | null): Promise<readonly Layer[]> {
    const standing = await this.ports.kernel.policies.of(row.ownerUid);
    const here = (rule: StandingRule) =>
      rule.place !== null && (rule.place === row.workspaceId || rule.place === directory);
    const written = await this.written(row.ownerUid, row.profile);
    const own = await this.ports.ofSchedule(row);
    const layers = [
      ...(own === null ? [] : [own]),
      layerOf("your rules for this directory or workspace", standing.filter(here)),
      layerOf(
        "your rules",
        standing.filter(({ place }) => place === null),
      ),
      ...written,
    ].filter(({ policy }) => policy.rules.length > 0 || policy.default !== undefined);
    const brought = await this.ports.repository(row, directory);
    return brought === null ? layers : [...layers, repositoryLayer(brought)];
  }

  async written(uid: number, profile: Profile): Promise<readonly Layer[]> {
    const setting = await settingsFor(this.ports.kernel.config, { uid, client: undefined });
    const written = (name: SettingName, layer: "user" | "system") =>
      setting(name).layers.find((each) => each.layer === layer)?.text;
    const ofProfile = `ai.profile.${profile}.tools.approval` as const;
    const places = [
      [ofProfile, "user", `your policy for profile ${profile}`],
      ["ai.tools.approval", "user", "your policy"],
      [ofProfile, "system", `the home's policy for profile ${profile}`],
      ["ai.tools.approval", "system", "the home's policy"],
    ] as const;
    return places.flatMap(([name, layer, title]) => {
      const text = written(name, layer);
      return text === undefined ? [] : [{ name: title, policy: readable(text) }];
    });
  }

  list(ownerUid: number): Promise<readonly StandingRule[]> {
    return this.ports.kernel.policies.of(ownerUid);
  }

  async add(
    ownerUid: number,
    { rule, place, by }: { readonly rule: Rule; readonly place: string | null; readonly by: string },
  ): Promise<StandingRule> {
    const there = await this.ports.kernel.policies.of(ownerUid);
    const same = there.find((each) => each.place === place && JSON.stringify(each.rule) === JSON.stringify(rule));
    if (same !== undefined) return same;
    if (there.length >= RULES_MAX)
      throw new SysError("ELIMIT", `cannot add a rule: ${RULES_MAX} already exist`, ["remove one: gsv policy rm ID"]);
    const taken = new Set(there.map(({ id }) => id));
    let id = approvalId(this.ports.random);
    while (taken.has(id)) id = approvalId(this.ports.random);
    const added: StandingRule = { id, place, rule, by, createdAt: this.ports.clock.now() };
    await this.ports.kernel.policies.add(ownerUid, added);
    return added;
  }

  async revoke(ownerUid: number, id: string): Promise<void> {
    if (await this.ports.kernel.policies.remove(ownerUid, id)) return;
    throw new SysError("ENOENT", `no such rule: ${clip(id)}`, ["to list rules: gsv policy list"]);
  }
}

/** A rule that allows exactly this call; `file` is the real path of its file. */
export function narrowestRule({ tool, call, about, ...asked }: Approval, file: string | null): Rule {
  const args = asCalled({ tool, call, args: asked.args });
  const listed = SAYS_WHAT[call];
  const names = listed ?? Object.keys(args);
  const texts = names.flatMap((name) => {
    const value = name === "path" && file !== null ? file : (args[name] ?? UNSET[name]);
    return value === undefined ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)] as const];
  });
  const target = about?.target;
  return {
    match: call,
    ...(target !== undefined && { target }),
    when: { argEquals: Object.fromEntries(texts) },
    action: "auto",
  };
}

/** A rule for a call without the network does not cover the call with it. */
const UNSET: { readonly [name: string]: unknown } = { network: false };

/** The arguments that a rule must match. For calls not listed: all of them. */
const SAYS_WHAT: { readonly [call: string]: readonly string[] } = {
  "shell.exec": ["command", "network"],
  "fs.write": ["path"],
  "fs.edit": ["path"],
  "fs.delete": ["path"],
};

function layerOf(name: string, standing: readonly StandingRule[]): Layer {
  return { name, policy: { rules: standing.map(({ rule }) => rule) } };
}

// An invalid policy must not allow anything: everything asks.
function readable(text: string): Policy {
  try {
    return parsePolicy(text);
  } catch {
    return { default: "ask", rules: [] };
  }
}

function repositoryLayer(text: string): Layer {
  try {
    return { name: "the policy of this repository", policy: parsePolicy(text), narrows: true };
  } catch (error) {
    const name = `the policy of this repository (invalid: ${messageOf(error)})`;
    return { name, policy: { default: "ask", rules: [] }, narrows: true };
  }
}
