// What makes an agent account somebody: a persona, bundles of skills, tools; and projects, which its processes work on.

export const ARCHETYPES = ["custom", "professional", "friendly", "technical", "creative", "formal"] as const;
export type Archetype = (typeof ARCHETYPES)[number];

/** What tells the tools of servers, as `calendar_add`, from those of gsv. */
export const SERVER_TOOL = /^(?=.{3,64}$)[a-z][a-zA-Z0-9]*_[a-zA-Z0-9_-]+$/;

/** How an agent is to be; empty fields say nothing. */
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

/** Tools and words that go together, for agents and projects. */
export interface Bundle {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly promptAdditions: string;
  /** Ships with gsv: it can be changed by root and never removed. */
  readonly preset: boolean;
  /** Whose it is; null for one that ships. */
  readonly ownerUid: number | null;
}

export interface Project {
  readonly id: string;
  readonly ownerUid: number;
  readonly name: string;
  /** Where its processes work, as `spawn --workspace` takes it; empty where none was said. */
  readonly workspace: string;
  /** What its processes are told. */
  readonly instructions: string;
  readonly bundles: readonly string[];
}

/** What was said of an agent account; null where nothing was. */
export interface AgentProfile {
  readonly uid: number;
  readonly model: string | null;
  /** The only tools it has; null is the usual ones. */
  readonly tools: readonly string[] | null;
  readonly persona: Persona | null;
  readonly bundles: readonly string[];
}
