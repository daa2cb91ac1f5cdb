// Agents, bundles, projects and credits as text for people.

import type { Bundle, Persona, Project } from "../../abi/process/agent.ts";
import type { AgentInfo } from "./agent-service.ts";

export function agentText({ name, owner, description, model, tools, bundles, persona }: AgentInfo): string {
  return rows([
    ["name", name],
    ["owner", owner],
    ["description", description],
    ["model", model ?? "(default)"],
    ["tools", tools === null ? "(usual)" : tools.join(", ") || "(none)"],
    ["bundles", bundles.join(", ")],
    ...(persona === null ? [] : personaRows(persona)),
  ]);
}

function personaRows(persona: Persona): [string, string][] {
  return [
    ["archetype", persona.archetype],
    ["traits", persona.traits.join(", ")],
    ["background", persona.background],
    ["voice", persona.voiceGuidelines],
    ...persona.exampleMessages.map((each): [string, string] => ["example", each]),
  ];
}

export function bundleText({ name, description, tools, promptAdditions, preset }: Bundle): string {
  return rows([
    ["name", preset ? `${name} (ships with gsv)` : name],
    ["description", description],
    ["tools", tools.join(", ")],
    ["prompt", promptAdditions],
  ]);
}

export function projectText({ name, workspace, instructions, bundles }: Project): string {
  return rows([
    ["name", name],
    ["workspace", workspace],
    ["bundles", bundles.join(", ")],
    ["instructions", instructions],
  ]);
}

/** Leaves out empty rows; indents values of several lines. */
function rows(all: readonly (readonly [name: string, value: string])[]): string {
  const said = all.filter(([, value]) => value !== "");
  const width = Math.max(...said.map(([name]) => name.length)) + 2;
  return said
    .map(([name, value]) => name.padEnd(width) + value.trim().replaceAll("\n", `\n${" ".repeat(width)}`))
    .join("\n");
}
