// Profiles of agent accounts: model, tools, persona, bundles. An account without a row has the defaults.

import { type AgentProfile, ARCHETYPES, NO_PERSONA, type Persona } from "../../../abi/process/agent.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { bundleId, bundleName } from "./bundles.ts";

/** Absent fields do not change. */
export interface AgentChange {
  readonly model?: string | null;
  readonly tools?: readonly string[] | null;
  /** Null removes the persona. */
  readonly persona?: Partial<Persona> | null;
  /** Replaces all bundles, by the names that the owner sees. */
  readonly bundles?: readonly string[];
}

export interface AgentAccount {
  readonly username: string;
  readonly uid: number;
  readonly ownerUid: number;
}

export interface AgentRows {
  byUid(uid: number): Promise<AgentProfile>;
  /** Key of the request that created the profile: empty if unknown, null if there is no profile. */
  madeBy(uid: number): Promise<string | null>;
  /** Atomic. Bundles must exist. */
  change(
    account: AgentAccount,
    change: AgentChange,
    at: { readonly now: number; readonly requestKey?: string },
  ): Promise<void>;
}

type AgentColumns = {
  readonly id: string;
  readonly model: string | null;
  readonly mcp_tool_permissions: string | null;
};
type PersonaColumns = {
  readonly archetype: string;
  readonly traits: string;
  readonly voice_guidelines: string;
  readonly background: string;
  readonly example_messages: string;
};

export function agentRows(kernel: KernelDb): AgentRows {
  const { db } = kernel;
  const personaOf = (id: string): Persona | null => {
    const row = db.get<PersonaColumns>(
      "SELECT archetype, traits, voice_guidelines, background, example_messages FROM agent_personas WHERE agent_id = ?",
      id,
    );
    return row === null ? null : toPersona(row);
  };
  return {
    async byUid(uid) {
      const row = db.get<AgentColumns>("SELECT id, model, mcp_tool_permissions FROM agents WHERE uid = ?", uid);
      if (row === null) return { uid, model: null, tools: null, persona: null, bundles: [] };
      const bundles = db.all<{ bundle_id: string }>(
        "SELECT bundle_id FROM agent_skills WHERE agent_id = ? ORDER BY sort_order",
        row.id,
      );
      return {
        ...{
          uid,
          model: row.model,
          persona: personaOf(row.id),
          bundles: bundles.map((row) => bundleName(row.bundle_id)),
        },
        tools: row.mcp_tool_permissions === null ? null : (JSON.parse(row.mcp_tool_permissions) as string[]),
      };
    },

    async madeBy(uid) {
      const row = db.get<{ request_key: string | null }>("SELECT request_key FROM agents WHERE uid = ?", uid);
      return row === null ? null : (row.request_key ?? "");
    },

    async change(account, { model, tools, persona, bundles }, { now, requestKey }) {
      const id = account.username;
      kernel.write("full", (tx) => {
        putAgent(tx, account, { requestKey: requestKey ?? null, now });
        if (model !== undefined) tx.run("UPDATE agents SET model = ? WHERE id = ?", model, id);
        if (tools !== undefined)
          tx.run("UPDATE agents SET mcp_tool_permissions = ? WHERE id = ?", tools && JSON.stringify(tools), id);
        if (persona === null) tx.run("DELETE FROM agent_personas WHERE agent_id = ?", id);
        else if (persona !== undefined) putPersona(tx, id, { ...(personaOf(id) ?? NO_PERSONA), ...persona }, now);
        if (bundles === undefined) return;
        tx.run("DELETE FROM agent_skills WHERE agent_id = ?", id);
        for (const [order, bundle] of bundles.entries())
          tx.run(
            "INSERT INTO agent_skills (agent_id, bundle_id, sort_order) VALUES (?, ?, ?)",
            id,
            bundleId(tx, account.ownerUid, bundle),
            order,
          );
      });
    },
  };
}

export function forgetAgent(tx: Db, uid: number): void {
  tx.run("DELETE FROM agents WHERE uid = ?", uid);
}

function putAgent(
  tx: Db,
  { username, uid, ownerUid }: AgentAccount,
  { requestKey, now }: { readonly requestKey: string | null; readonly now: number },
): void {
  tx.run(
    `INSERT INTO agents (id, uid, owner_uid, request_key, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
     ON CONFLICT (id) DO UPDATE SET updated_at = ?5`,
    username,
    uid,
    ownerUid,
    requestKey,
    now,
  );
}

function putPersona(tx: Db, id: string, persona: Persona, now: number): void {
  tx.run(
    `INSERT INTO agent_personas (agent_id, archetype, traits, voice_guidelines, background, example_messages, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT (agent_id) DO UPDATE SET
     archetype = ?2, traits = ?3, voice_guidelines = ?4, background = ?5, example_messages = ?6, updated_at = ?7`,
    id,
    persona.archetype,
    JSON.stringify(persona.traits),
    persona.voiceGuidelines,
    persona.background,
    JSON.stringify(persona.exampleMessages),
    now,
  );
}

function toPersona(row: PersonaColumns): Persona {
  return {
    archetype: ARCHETYPES.find((each) => each === row.archetype) ?? "custom",
    traits: JSON.parse(row.traits) as string[],
    voiceGuidelines: row.voice_guidelines,
    background: row.background,
    exampleMessages: JSON.parse(row.example_messages) as string[],
  };
}
