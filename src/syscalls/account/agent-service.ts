// The services behind agent.*, persona.*, bundle.*, project.* and credits.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { Archetype, Bundle, Persona, Project } from "../../abi/process/agent.ts";
import type { CreditBalance, CreditRate, CreditRow } from "../../abi/process/credits.ts";
import type { CallContext } from "../define.ts";

export interface AgentInfo {
  readonly name: string;
  readonly uid: number;
  readonly owner: string;
  readonly description: string;
  readonly model: string | null;
  /** The only tools it has; null for the default set. */
  readonly tools: readonly string[] | null;
  readonly bundles: readonly string[];
  readonly persona: Persona | null;
}

/** As on a command line: comma-separated lists; an empty text unsets, an absent field stays. */
export interface AgentWords {
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
  readonly tools?: string;
  readonly bundles?: string;
}

export interface PersonaWords {
  readonly archetype?: Archetype;
  readonly traits?: string;
  readonly voice?: string;
  readonly background?: string;
  readonly example?: readonly string[];
}

export interface Agents {
  list(caller: Caller): Promise<{ readonly agents: readonly AgentInfo[] }>;
  show(caller: Caller, name: string): Promise<AgentInfo>;
  create(context: CallContext, words: AgentWords & PersonaWords): Promise<AgentInfo>;
  edit(context: CallContext, words: AgentWords & PersonaWords): Promise<AgentInfo>;
  remove(
    context: CallContext,
    name: string,
    force: boolean,
  ): Promise<{ readonly name: string; readonly ended: readonly string[] }>;
  clearPersona(context: CallContext, name: string): Promise<AgentInfo>;
}

export interface BundleWords {
  readonly name: string;
  readonly description?: string;
  readonly tools?: string;
  readonly prompt?: string;
}

/** An agent or a project. */
export interface BundleHolder {
  readonly agent?: string;
  readonly project?: string;
}

export interface Bundles {
  list(caller: Caller): Promise<{ readonly bundles: readonly Bundle[] }>;
  show(caller: Caller, name: string): Promise<Bundle>;
  create(context: CallContext, words: BundleWords): Promise<Bundle>;
  edit(context: CallContext, words: BundleWords): Promise<Bundle>;
  remove(context: CallContext, name: string): Promise<{ readonly name: string }>;
  /** An assigned bundle moves to the end. */
  assign(
    context: CallContext,
    name: string,
    to: BundleHolder,
  ): Promise<{ readonly to: string; readonly bundles: readonly string[] }>;
  unassign(
    context: CallContext,
    name: string,
    from: BundleHolder,
  ): Promise<{ readonly to: string; readonly bundles: readonly string[] }>;
}

export interface ProjectWords {
  readonly name: string;
  readonly workspace?: string;
  readonly instructions?: string;
  readonly bundles?: string;
}

export interface Projects {
  list(caller: Caller): Promise<{ readonly projects: readonly Project[] }>;
  show(caller: Caller, name: string): Promise<Project>;
  create(context: CallContext, words: ProjectWords): Promise<Project>;
  edit(context: CallContext, words: ProjectWords): Promise<Project>;
  remove(context: CallContext, name: string): Promise<{ readonly name: string }>;
}

export interface Credits {
  balance(caller: Caller, wallet: string | undefined): Promise<{ readonly balances: readonly CreditBalance[] }>;
  grant(
    context: CallContext,
    grant: { readonly wallet: string; readonly amount: number; readonly reference?: string },
  ): Promise<CreditBalance>;
  ledger(
    caller: Caller,
    page: { readonly wallet: string; readonly limit: number; readonly before?: number },
  ): Promise<{ readonly rows: readonly CreditRow[]; readonly next: string | null }>;
  rate(
    context: CallContext,
    change: { readonly rate?: CreditRate; readonly value?: number },
  ): Promise<{ readonly rates: readonly { readonly name: CreditRate; readonly value: number }[] }>;
}
