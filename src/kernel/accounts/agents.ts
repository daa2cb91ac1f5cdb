// The service behind agent.* and persona.*: an agent is an account with a profile. Only its owner or root may change it; agents of other
// owners look absent.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { AgentProfile, Persona } from "../../abi/process/agent.ts";
import type { Clock } from "../../lib/clock.ts";
import { defined } from "../../lib/defined.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { AgentChange } from "../../store/kernel/people/agents.ts";
import type { AccountRow } from "../../store/kernel/people/people.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Accounts, RemovedAccount } from "../../syscalls/account/account-service.ts";
import type { AgentInfo, Agents, AgentWords, PersonaWords } from "../../syscalls/account/agent-service.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ReceiptContext } from "../dispatch.ts";
import { knownBundles, toolsNamed } from "./bundle-names.ts";
import { wordsOf } from "./rights.ts";

export interface AgentPorts {
  readonly kernel: KernelStore;
  readonly accounts: Pick<Accounts, "create" | "update" | "remove">;
  readonly clock: Clock;
  /** The full name of a model; throws if it cannot be asked. */
  readonly modelNamed: (context: CallContext, model: string) => Promise<string | null>;
  readonly toolNames: () => readonly string[];
  readonly keyOf: (context: CallContext) => string;
}

/** The caller's agents; for root, all. */
export function agentsShown(kernel: KernelStore): Pick<Agents, "list" | "show"> {
  return {
    async list(caller) {
      const accounts = (await kernel.people.list()).filter((each) => isAgentOf(each, caller));
      return { agents: await Promise.all(accounts.map((each) => agentInfo(kernel, each))) };
    },
    show: async (caller, name) => await agentInfo(kernel, await agentNamed(kernel, caller, name)),
  };
}

export function agentsService(ports: AgentPorts): Agents {
  const { kernel, clock } = ports;

  async function change(
    context: CallContext,
    account: AccountRow,
    words: AgentWords & PersonaWords,
  ): Promise<AgentInfo> {
    const { ownerUid } = placed(account);
    const change = await changeFrom(ports, context, ownerUid, words);
    const at = { now: clock.now(), requestKey: ports.keyOf(context) };
    await kernel.agents.change(placed(account), change, at);
    if (words.description !== undefined && words.description !== account.gecos)
      await kernel.people.comment(account.username, words.description);
    return await agentInfo(kernel, { ...account, gecos: words.description ?? account.gecos });
  }

  return {
    ...agentsShown(kernel),

    async create({ receipt: _notOfTheAccount, ...context }: ReceiptContext, words) {
      const there = await kernel.people.byName(words.name);
      await changeFrom(ports, context, context.caller.ownerUid, words);
      if (
        there === null ||
        !isAgentOf(there, context.caller) ||
        !(await isWithoutProfile(kernel, there, ports.keyOf(context)))
      ) {
        const { name: username, description: comment } = words;
        await ports.accounts.create(context, {
          ...{ username, agent: true, system: false },
          ...(comment === undefined ? {} : { comment }),
        });
      }
      return await change(context, await agentNamed(kernel, context.caller, words.name), words);
    },

    edit: async (context, words) => await change(context, await agentNamed(kernel, context.caller, words.name), words),

    async remove({ receipt, ...context }: ReceiptContext, name, force) {
      const { username } = await agentNamed(kernel, context.caller, name);
      const answerOf = ({ ended }: Pick<RemovedAccount, "ended">) => ({ name: username, ended });
      const ofAccount = receipt && ((answer: unknown) => receipt(answerOf(answer as RemovedAccount)));
      const within: ReceiptContext = ofAccount === undefined ? context : { ...context, receipt: ofAccount };
      return answerOf(await ports.accounts.remove(within, { username, force }));
    },

    async clearPersona(context, name) {
      const account = await agentNamed(kernel, context.caller, name);
      await kernel.agents.change(placed(account), { persona: null }, { now: clock.now() });
      return await agentInfo(kernel, account);
    },
  };
}

function placed({ username, uid, ownerUid }: AccountRow) {
  return { username, uid, ownerUid: ownerUid ?? uid };
}

/** True for an account without a profile, or if this request created it before it was interrupted. */
async function isWithoutProfile(kernel: KernelStore, { uid, kind }: AccountRow, key: string): Promise<boolean> {
  const by = await kernel.agents.madeBy(uid);
  return kind === "agent" && (by === null || by === key);
}

function isAgentOf({ kind, ownerUid }: AccountRow, caller: Caller): boolean {
  return (kind === "agent" || kind === "personal") && (isRoot(caller) || ownerUid === caller.ownerUid);
}

export async function agentNamed(kernel: KernelStore, caller: Caller, name: string): Promise<AccountRow> {
  const account = await kernel.people.byName(name);
  if (account !== null && isAgentOf(account, caller)) return account;
  throw new SysError("ENOENT", `no such agent: ${clip(name)}`, [
    "gsv agent list shows all; gsv agent create NAME adds one",
  ]);
}

async function agentInfo(kernel: KernelStore, account: AccountRow): Promise<AgentInfo> {
  const { model, tools, bundles, persona }: AgentProfile = await kernel.agents.byUid(account.uid);
  const owner = account.ownerUid === null ? null : await kernel.accounts.byUid(account.ownerUid);
  return {
    ...{ name: account.username, uid: account.uid, owner: owner?.username ?? "-", description: account.gecos },
    ...{ model, tools, bundles, persona },
  };
}

async function changeFrom(
  { kernel, modelNamed, toolNames }: AgentPorts,
  context: CallContext,
  ownerUid: number,
  { model, tools, bundles, ...words }: AgentWords & PersonaWords,
): Promise<AgentChange> {
  const persona = personaFrom(words);
  return {
    ...(model === undefined ? {} : { model: model.trim() === "" ? null : await modelNamed(context, model) }),
    ...(tools === undefined ? {} : { tools: tools.trim() === "usual" ? null : toolsNamed(tools, toolNames()) }),
    ...(bundles === undefined ? {} : { bundles: await knownBundles(kernel, ownerUid, bundles) }),
    ...(persona === null ? {} : { persona }),
  };
}

/** Null if nothing is set. */
function personaFrom({ archetype, traits, voice, background, example }: PersonaWords): Partial<Persona> | null {
  const words = { archetype, voiceGuidelines: voice, background, exampleMessages: example };
  const persona = defined({ ...words, traits: traits === undefined ? undefined : wordsOf(traits) });
  return Object.keys(persona).length === 0 ? null : persona;
}
