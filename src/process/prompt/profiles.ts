// Prompt texts and tools from the agent and the project of a process. Read at every turn, so that edits take effect at the next one.

import type { Bundle, Persona } from "../../abi/process/agent.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";

type Rows = Pick<KernelStore, "agents" | "bundles" | "projects">;
type Whose = Pick<ProcessRow, "uid" | "projectId">;

export interface ProfilePrompt {
  readonly persona: string;
  readonly skills: string;
  /** null if the process has no project or it is gone. */
  readonly project: { readonly name: string; readonly instructions: string } | null;
}

export async function profilePrompt(kernel: Rows, whose: Whose): Promise<ProfilePrompt> {
  const { agent, project, ofAgent, ofProject } = await sourcesOf(kernel, whose);
  return {
    persona: personaText(agent.persona),
    skills: skillInstructions(ofAgent, ofProject),
    project: project === null ? null : { name: project.name, instructions: project.instructions },
  };
}

/** The tools of a process. */
export async function toolsOf(kernel: Rows, whose: Whose, usual: readonly string[]): Promise<ReadonlySet<string>> {
  const { agent, ofAgent, ofProject } = await sourcesOf(kernel, whose);
  return allowedTools({ explicit: agent.tools, ofAgent, ofProject, usual });
}

async function sourcesOf({ agents, bundles, projects }: Rows, { uid, projectId }: Whose) {
  const agent = await agents.byUid(uid);
  const project = projectId === null ? null : await projects.get(projectId);
  const named = async (names: readonly string[]): Promise<readonly Bundle[]> =>
    names.length === 0 ? [] : await bundles.named(names);
  return { agent, project, ofAgent: await named(agent.bundles), ofProject: await named(project?.bundles ?? []) };
}

/** Empty if there is no persona. */
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

/** Texts of the agent's bundles, then of the project's. */
export function skillInstructions(ofAgent: readonly Bundle[], ofProject: readonly Bundle[]): string {
  const said = [...ofAgent, ...ofProject].map(({ promptAdditions }) => promptAdditions.trim());
  const texts = said.filter((text) => text !== "");
  return texts.length === 0 ? "" : `## Skill Instructions\n${texts.join("\n\n")}\n`;
}

export interface ToolSources {
  /** The agent's own tool list; null if there is none. */
  readonly explicit: readonly string[] | null;
  readonly ofAgent: readonly Bundle[];
  readonly ofProject: readonly Bundle[];
  /** Default tools. */
  readonly usual: readonly string[];
}

/** The explicit list plus the agent's bundles. Without a list: default tools plus all bundles, the project's too. */
export function allowedTools({ explicit, ofAgent, ofProject, usual }: ToolSources): ReadonlySet<string> {
  const own = ofAgent.flatMap(({ tools }) => tools);
  if (explicit !== null) return new Set([...explicit, ...own]);
  return new Set([...usual, ...own, ...ofProject.flatMap(({ tools }) => tools)]);
}
