// Persona text and tool list of an agent. Pure.

import type { Bundle, Persona } from "../../abi/process/agent.ts";

export function personaText(persona: Persona | null): string {
  if (persona === null) return "";
  const { archetype, traits, background, voiceGuidelines, exampleMessages } = persona;
  const lines = [
    ...(archetype === "custom" ? [] : [`Archetype: ${archetype}`]),
    ...(traits.length === 0 ? [] : [`Personality traits: ${traits.join(", ")}`]),
    ...(background.trim() === "" ? [] : [`Background: ${background.trim()}`]),
    ...(voiceGuidelines.trim() === "" ? [] : [`Communication style: ${voiceGuidelines.trim()}`]),
    ...(exampleMessages.length === 0
      ? []
      : ["", "Examples of how you write:", ...exampleMessages.map((each) => `- ${JSON.stringify(each)}`)]),
  ];
  return lines.length === 0 ? "" : `## Persona\n${lines.join("\n")}\n`;
}

export function skillInstructions(ofAgent: readonly Bundle[], ofProject: readonly Bundle[]): string {
  const additions = [...ofAgent, ...ofProject].map(({ promptAdditions }) => promptAdditions.trim());
  const texts = additions.filter((text) => text !== "");
  return texts.length === 0 ? "" : `## Skill Instructions\n${texts.join("\n\n")}\n`;
}

export interface ToolSources {
  /** The agent's own tool list; null if there is none. */
  readonly explicit: readonly string[] | null;
  readonly ofAgent: readonly Bundle[];
  readonly ofProject: readonly Bundle[];
  readonly usual: readonly string[];
}

/** The explicit list plus the agent's bundles. Without a list: default tools plus all bundles, the project's too. */
export function allowedTools({ explicit, ofAgent, ofProject, usual }: ToolSources): ReadonlySet<string> {
  const own = ofAgent.flatMap(({ tools }) => tools);
  if (explicit !== null) return new Set([...explicit, ...own]);
  return new Set([...usual, ...own, ...ofProject.flatMap(({ tools }) => tools)]);
}
