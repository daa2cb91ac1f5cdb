// Preset bundles, inserted by a migration. After that they are ordinary rows, which root may change.

const PRESETS: readonly (readonly [name: string, description: string, tools: readonly string[], prompt: string])[] = [
  [
    "code-reviewer",
    "Reads changes and says what is wrong with them",
    ["Read", "Search", "Shell", "Ask"],
    "Review for what breaks: wrong results, lost data, races, missing checks, tests that cannot fail. Name file and line. Say what you did not look at. Change nothing.",
  ],
  [
    "devops",
    "Builds, deploys and watches what runs",
    ["Read", "Search", "Shell"],
    "Look before you change anything that runs: state, logs, what it depends on. One change at a time, with the way back said before it.",
  ],
  [
    "researcher",
    "Finds out and says where it is written",
    ["Read", "Search", "Fetch", "Write"],
    "Give the source of every claim. Keep apart what you read and what you conclude. Say what you looked for and did not find.",
  ],
  [
    "communicator",
    "Writes to people",
    ["Read", "Write", "Edit", "Ask"],
    "Write for one reader. The first sentence says what it is about and what is wanted. Short and plain; no claim that was not checked.",
  ],
  [
    "analyst",
    "Works with figures",
    ["Read", "Search", "Shell", "CodeMode"],
    "Compute, never guess. Give figures with their unit, how many there are of them and where they come from. Check one by another way.",
  ],
  [
    "coder",
    "Changes code and checks that it works",
    ["Read", "Write", "Edit", "Delete", "Search", "Shell"],
    "Read the neighbours before you write, and write as they do. Small changes. Run what proves it, and see a new test fail once.",
  ],
  [
    "github-ops",
    "Keeps a repository and what is open in it in order",
    ["Read", "Write", "Edit", "Search", "Shell", "Fetch", "Ask", "CodeMode"],
    "Look at the state of the repository first. Never rewrite what others have. Nothing is pushed, merged or closed without a yes.",
  ],
  [
    "full-stack",
    "Everything it takes from a wish to something that runs",
    ["Read", "Write", "Edit", "Delete", "Search", "Shell", "CodeMode", "Fetch", "Ask"],
    "Begin with the smallest thing that works from end to end, then widen it. Say what is done, what is not, and how it was seen to run.",
  ],
  [
    "memory-manager",
    "Keeps what should last",
    ["Read", "Write", "Edit", "Search"],
    "Keep decisions, preferences and facts that were hard to find, each with its date. Correct what is no longer true. Leave out what is easily looked up.",
  ],
];

export const PRESET_BUNDLES: readonly string[] = PRESETS.map(([name, description, tools, prompt]) => {
  const values = [name, description, JSON.stringify(tools), prompt].map((text) => `'${text.replaceAll("'", "''")}'`);
  return `INSERT INTO skill_bundles (id, description, tools, prompt_additions, preset, created_at, updated_at) VALUES (${values}, 1, 0, 0)`;
});
