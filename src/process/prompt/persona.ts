// What an agent is besides its account, as it is told to a model and as it bounds its tools. Pure: the same profile, the same bytes.

import type { Bundle, Persona } from "../../abi/process/agent.ts";

/** Empty where nothing was said of it. */
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

/** The words of the agent's bundles in their order, then those of the project's. */
export function skillInstructions(ofAgent: readonly Bundle[], ofProject: readonly Bundle[]): string {
  const said = [...ofAgent, ...ofProject].map(({ promptAdditions }) => promptAdditions.trim());
  const texts = said.filter((text) => text !== "");
  return texts.length === 0 ? "" : `## Skill Instructions\n${texts.join("\n\n")}\n`;
}

export interface ToolSources {
  /** What the agent may use, where somebody said so. */
  readonly explicit: readonly string[] | null;
  readonly ofAgent: readonly Bundle[];
  readonly ofProject: readonly Bundle[];
  /** What every process has where nothing else is said. */
  readonly usual: readonly string[];
}

/** An explicit list is widened by the agent's own bundles and never by a project's; without one, bundles come on top of the usual tools. */
export function allowedTools({ explicit, ofAgent, ofProject, usual }: ToolSources): ReadonlySet<string> {
  const own = ofAgent.flatMap(({ tools }) => tools);
  if (explicit !== null) return new Set([...explicit, ...own]);
  return new Set([...usual, ...own, ...ofProject.flatMap(({ tools }) => tools)]);
}
