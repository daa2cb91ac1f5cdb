// An agent's prompt and tools from its profile alone.

import { describe, expect, test } from "bun:test";
import { type Bundle, NO_PERSONA } from "../../src/abi/process/agent.ts";
import { allowedTools, personaText, skillInstructions } from "../../src/process/prompt/persona.ts";

function bundle(name: string, tools: readonly string[], promptAdditions = ""): Bundle {
  return { name, tools, promptAdditions, description: "", preset: false, ownerUid: 1000 };
}

describe("a persona", () => {
  test("contains the profile's fields in a fixed order", () => {
    const persona = {
      archetype: "technical",
      traits: ["precise", "patient"],
      background: "Twenty years of trains.",
      voiceGuidelines: "Short sentences.",
      exampleMessages: ['Done: "3" of 3.'],
    } as const;
    expect(personaText(persona)).toBe(
      [
        "## Persona",
        "Archetype: technical",
        "Personality traits: precise, patient",
        "Background: Twenty years of trains.",
        "Communication style: Short sentences.",
        "",
        "Examples of how you write:",
        '- "Done: \\"3\\" of 3."',
        "",
      ].join("\n"),
    );
  });

  test("is empty for an empty profile, without a heading", () => {
    expect(personaText(null)).toBe("");
    expect(personaText(NO_PERSONA)).toBe("");
  });
});

describe("bundles", () => {
  test("the agent's texts come first, then the project's, and empty ones leave no gap", () => {
    expect(skillInstructions([bundle("a", [], "One."), bundle("b", [])], [bundle("c", [], "Two.")])).toBe(
      "## Skill Instructions\nOne.\n\nTwo.\n",
    );
    expect(skillInstructions([bundle("a", [])], [])).toBe("");
  });

  const usual = ["Read", "Write"];
  const tools = (from: Partial<Parameters<typeof allowedTools>[0]>) =>
    [...allowedTools({ explicit: null, ofAgent: [], ofProject: [], usual, ...from })].sort();

  test("are added to the default tools and replace none", () => {
    expect(tools({ ofAgent: [bundle("a", ["Shell"])] })).toEqual(["Read", "Shell", "Write"]);
    expect(tools({ ofProject: [bundle("a", ["Fetch"])] })).toEqual(["Fetch", "Read", "Write"]);
  });

  test("the agent's own bundles extend an explicit list of tools, the project's do not", () => {
    const from = {
      explicit: ["Read"],
      ofAgent: [bundle("a", ["Search", "Read"])],
      ofProject: [bundle("b", ["Shell"])],
    };
    expect(tools(from)).toEqual(["Read", "Search"]);
    expect(tools({ explicit: [] })).toEqual([]);
  });
});
