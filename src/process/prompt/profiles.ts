// Prompt texts and tools from the agent and the project of a process. Read at every turn, so that edits take effect at the next one.

import type { Bundle } from "../../abi/process/agent.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { allowedTools, personaText, skillInstructions } from "./persona.ts";

type Rows = Pick<KernelStore, "agents" | "bundles" | "projects">;
type ProfileOf = Pick<ProcessRow, "uid" | "projectId">;

export interface ProfilePrompt {
  readonly persona: string;
  readonly skills: string;
  /** null if the process has no project or it is gone. */
  readonly project: { readonly name: string; readonly instructions: string } | null;
}

export async function profilePrompt(kernel: Rows, of: ProfileOf): Promise<ProfilePrompt> {
  const { agent, project, ofAgent, ofProject } = await sourcesOf(kernel, of);
  return {
    persona: personaText(agent.persona),
    skills: skillInstructions(ofAgent, ofProject),
    project: project === null ? null : { name: project.name, instructions: project.instructions },
  };
}

export async function toolsOf(kernel: Rows, of: ProfileOf, usual: readonly string[]): Promise<ReadonlySet<string>> {
  const { agent, ofAgent, ofProject } = await sourcesOf(kernel, of);
  return allowedTools({ explicit: agent.tools, ofAgent, ofProject, usual });
}

async function sourcesOf({ agents, bundles, projects }: Rows, { uid, projectId }: ProfileOf) {
  const agent = await agents.byUid(uid);
  const project = projectId === null ? null : await projects.get(projectId);
  const ofAgent: readonly Bundle[] = agent.bundles.length === 0 ? [] : await bundles.ofAgent(uid);
  const ofProject: readonly Bundle[] = project === null ? [] : await bundles.ofProject(project.id);
  return { agent, project, ofAgent, ofProject };
}
