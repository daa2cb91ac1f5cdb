// What an agent is told besides its context, and which tools it has: from its profile alone.

import { describe, expect, test } from "bun:test";
import { type Bundle, NO_PERSONA } from "../../src/abi/process/agent.ts";
import { allowedTools, personaText, skillInstructions } from "../../src/process/prompt/persona.ts";

function bundle(name: string, tools: readonly string[], promptAdditions = ""): Bundle {
  return { name, tools, promptAdditions, description: "", preset: false, ownerUid: 1000 };
}

describe("a persona", () => {
  test("says what was said of it, in one order", () => {
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

  test("of whom nothing was said says nothing, not even a heading", () => {
    expect(personaText(null)).toBe("");
    expect(personaText(NO_PERSONA)).toBe("");
  });
});

describe("bundles", () => {
  test("the agent's words come first, then the project's, and empty ones leave no gap", () => {
    expect(skillInstructions([bundle("a", [], "One."), bundle("b", [])], [bundle("c", [], "Two.")])).toBe(
      "## Skill Instructions\nOne.\n\nTwo.\n",
    );
    expect(skillInstructions([bundle("a", [])], [])).toBe("");
  });

  const usual = ["Read", "Write"];
  const tools = (from: Partial<Parameters<typeof allowedTools>[0]>) =>
    [...allowedTools({ explicit: null, ofAgent: [], ofProject: [], usual, ...from })].sort();

  test("come on top of the usual tools, and never in their place", () => {
    expect(tools({ ofAgent: [bundle("a", ["Shell"])] })).toEqual(["Read", "Shell", "Write"]);
    expect(tools({ ofProject: [bundle("a", ["Fetch"])] })).toEqual(["Fetch", "Read", "Write"]);
  });

  test("an explicit list is widened by the agent's own bundles and not by the project's", () => {
    const from = {
      explicit: ["Read"],
      ofAgent: [bundle("a", ["Search", "Read"])],
      ofProject: [bundle("b", ["Shell"])],
    };
    expect(tools(from)).toEqual(["Read", "Search"]);
    expect(tools({ explicit: [] })).toEqual([]);
  });
});
