// The profile of an agent account: persona, bundles of skills, tools; and projects, which its processes work on.

export const ARCHETYPES = ["custom", "professional", "friendly", "technical", "creative", "formal"] as const;
export type Archetype = (typeof ARCHETYPES)[number];

/** Marks tools of servers, for example `calendar_add`. */
export const SERVER_TOOL = /^(?=.{3,64}$)[a-z][a-zA-Z0-9]*_[a-zA-Z0-9_-]+$/;

/** Empty fields are left out of the prompt. */
export interface Persona {
  readonly archetype: Archetype;
  readonly traits: readonly string[];
  readonly voiceGuidelines: string;
  readonly background: string;
  readonly exampleMessages: readonly string[];
}

export const NO_PERSONA: Persona = {
  archetype: "custom",
  traits: [],
  voiceGuidelines: "",
  background: "",
  exampleMessages: [],
};

/** Tools and instructions that belong together, for agents and projects. */
export interface Bundle {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly promptAdditions: string;
  /** Ships with gsv: only root may change it, and it cannot be removed. */
  readonly preset: boolean;
  /** Its owner; null for one that ships with gsv. */
  readonly ownerUid: number | null;
}

export interface Project {
  readonly id: string;
  readonly ownerUid: number;
  readonly name: string;
  /** Workspace of its processes, in the form of `spawn --workspace`; may be empty. */
  readonly workspace: string;
  /** Instructions for its processes. */
  readonly instructions: string;
  readonly bundles: readonly string[];
}

/** The profile of an agent account; fields are null if not set. */
export interface AgentProfile {
  readonly uid: number;
  readonly model: string | null;
  /** Its only tools; null for the default ones. */
  readonly tools: readonly string[] | null;
  readonly persona: Persona | null;
  readonly bundles: readonly string[];
}
