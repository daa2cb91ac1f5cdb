// Orders that take the offline provider more than one step, each a function of the messages so far.

import { describe, expect, test } from "bun:test";
import type { ToolOutcome } from "../../src/abi/process/message.ts";
import type { ModelRequest } from "../../src/abi/stream.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { ask, callsOf, requestOf, TOOLS } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });
const NOTES = "~/knowledge/notes.md";

type Said = Parameters<typeof requestOf>[0][number];
type Answer = string | { readonly failed: string; readonly outcome?: ToolOutcome };

/** Plays an order to its end: each call gets its result from `tools`. */
async function play(
  order: string,
  tools: (name: string, args: Record<string, unknown>) => Answer,
  more: Partial<ModelRequest> = {},
) {
  const said: Said[] = [{ user: order }];
  const made: { name: string; args: object }[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const folded = await ask(provider, { ...requestOf(said), ...more });
    const calls = folded.kind === "turn" ? folded.calls : [];
    made.push(...callsOf(folded));
    if (calls.length === 0) return { text: folded.text, made };
    said.push({ assistant: folded.text, calls });
    for (const { id: of, name: tool, args } of calls) {
      const answer = tools(tool, args);
      if (typeof answer === "string") said.push({ result: answer, of, tool });
      else said.push({ result: answer.failed, of, tool, outcome: answer.outcome ?? "failed" });
    }
  }
  throw new Error("it never ends");
}

const missing = { failed: `ENOENT: cannot read ${NOTES}: no such file or directory` };

describe("remember that", () => {
  test.each([
    "remember that the bank opens at nine",
    "Please remember that the bank opens at nine.",
    "remember: the bank opens at nine",
    "make a note that the bank opens at nine",
  ])("%s creates the notes if there are none", async (order) => {
    const { text, made } = await play(order, (name) => (name === "Read" ? missing : "ok"));
    expect(made.at(-1)).toMatchObject({ name: "Write", args: { path: NOTES } });
    expect(JSON.stringify(made.at(-1)?.args)).toContain("# Notes\\n\\n- the bank opens at nine");
    expect(text).toStartWith(`Noted in ${NOTES}: the bank opens at nine`);
  });

  test("adds to existing notes and removes nothing", async () => {
    const before = "     1\t# Notes\n     2\t\n     3\t- older";
    const { made } = await play("remember that x is y", (name) => (name === "Read" ? before : "ok"));
    expect(made.at(-1)).toEqual({
      name: "Edit",
      args: { path: NOTES, oldString: "# Notes\n\n", newString: "# Notes\n\n- x is y\n" },
    });
    const mine = await play("remember that x is y", (name) =>
      name === "Read" ? "     1\tmy own\n     2\tlist" : "ok",
    );
    expect(mine.made.at(-1)?.args).toEqual({ path: NOTES, oldString: "my own", newString: "my own\n- x is y" });
    const twice = await play("remember that x is y", () => "     1\ta\n     2\ta");
    expect(twice.made).toHaveLength(1);
    expect(twice.text).toContain("Not noted");
    expect(twice.text).toContain("x is y");
  });

  test("never reports noted if the write failed", async () => {
    for (const outcome of ["denied", "failed", "unknown", "cancelled"] as const) {
      const answer = (name: string) => (name === "Read" ? missing : { failed: "", outcome });
      expect((await play("remember that x is y", answer)).text).not.toContain("Noted");
    }
    const unreadable = await play("remember that x is y", () => ({ failed: "EACCES: permission denied" }));
    expect(unreadable.made).toHaveLength(1);
    expect(unreadable.text).toContain("That did not work");
  });

  test.each(["do you remember me?", "remember when we met", "what do you remember?", "remember me"])(
    "%s is not an order to write",
    async (order) => {
      const { made } = await play(order, () => "(no matches)");
      expect(made.filter(({ name }) => name === "Write" || name === "Edit")).toEqual([]);
    },
  );

  test("refuses two orders at once and asks for one at a time", async () => {
    const folded = await ask(provider, requestOf([{ user: "remember that a" }, { user: "remember that b" }]));
    expect(callsOf(folded)).toEqual([]);
    expect(folded.text).toContain("Send it alone: remember that a");
  });
});

describe("summarise my workspace", () => {
  const tools = (name: string, args: Record<string, unknown>): Answer => {
    if (name === "Shell") return "total 8\n-rw-r----- 1 sam sam 120 Jan  2 03:04 plan.md";
    if (args.path === ".") return ".gsv/\nsrc/\nREADME.md\nplan.md";
    if (args.path === "README.md") return "     1\t# Rome\n     2\t\n     3\tThree days.";
    return "     1\t# What was done here";
  };

  test.each(["summarise my workspace", "Summarize my current workspace.", "what's in my workspace?"])(
    "%s returns a summary of the files",
    async (order) => {
      const { text, made } = await play(order, tools, { tools: TOOLS.filter(({ name }) => name !== "Shell") });
      expect(made.map(({ args }) => (args as { path: string }).path)).toEqual([".", "README.md", ".gsv/summary.md"]);
      expect(text).toContain("holds 2 files and 2 directories");
      expect(text).toContain("README.md begins:\n\n    # Rome");
      expect(text).toContain("Where work was left:\n\n    # What was done here");
    },
  );

  test("also reports sizes and the newest changes if there is a shell", async () => {
    const { text } = await play("summarise my workspace", tools);
    expect(text).toContain(
      "Sizes and newest changes:\n\n    -rw-r----- 1 sam sam 120 Jan  2 03:04 plan.md\n\nREADME.md",
    );
  });

  test("reports an empty or unreadable workspace", async () => {
    expect((await play("summarise my workspace", () => "")).text).toContain("is empty");
    const refused = await play("summarise my workspace", () => ({ failed: "EACCES: permission denied" }));
    expect(refused.text).toContain("I could not list /home/sam");
  });
});

describe("a question that the manual does not answer", () => {
  const line = "/home/sam/knowledge/trips.md:3:The hotel in Rome is called Albergo Sole";
  const found = (name: string, args: Record<string, unknown>) =>
    name === "Search" && args.path === "~" && line.includes(String(args.query)) ? line : "(no matches)";

  test("is looked up in its owner's files, and a match is shown with its path", async () => {
    const { text } = await play("what is the hotel in Rome called?", found);
    expect(text).toStartWith(`Found in ~/knowledge:\n\n    ${line}\n\n`);
  });

  test("returns a matching skill verbatim", async () => {
    const system = "Skills: …\n- baking: How bread is baked in this house (/home/sam/skills.d/baking.md)\n";
    const answer = (name: string) => (name === "Read" ? "     1\tKnead it for ten minutes." : "(no matches)");
    const { text } = await play("how do I bake bread?", answer, { system });
    expect(text).toContain("A skill that may help, /home/sam/skills.d/baking.md:\n\n    Knead it for ten minutes.");
  });

  test("returns the nearest manual entry if the files have no match", async () => {
    const { text } = await play("what is the capital of France?", () => "(no matches)");
    expect(text).toContain("no model is set up");
    expect((await play("how do I stop a process?", () => "(no matches)")).made).toEqual([]);
  });
});
