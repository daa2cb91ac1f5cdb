// Agents, bundles and projects: the calls that manage them, and their effect on the next model request.

import { describe, expect, test } from "bun:test";
import type { AgentInfo } from "../../src/syscalls/account/agent-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";
import { type } from "../support/shell.ts";

async function asked(home: TestKernel, args: object) {
  const pid = await home.task(args);
  await home.say("hello", { pid });
  const request = home.model.asked(pid).at(-1);
  return { pid, system: request?.system ?? "", tools: (request?.tools ?? []).map(({ name }) => name) };
}

const namesOf = ({ bundles }: { bundles: readonly { name: string }[] }) => bundles.map(({ name }) => name);

const PERSONA = { archetype: "technical", traits: "precise, patient", voice: "Short sentences." };

describe("an agent", () => {
  test("is an account of its owner, and its processes get its profile", async () => {
    await using home = await TestKernel.boot();
    const made = await home.sys.call<AgentInfo>("agent.create", { name: "ada", description: "builds", ...PERSONA });
    expect(made).toMatchObject({ name: "ada", owner: "sam", description: "builds", tools: null, bundles: [] });
    expect(made.persona).toMatchObject({ archetype: "technical", traits: ["precise", "patient"] });
    const { system } = await asked(home, { as: "ada" });
    expect(system).toContain("## Persona\nArchetype: technical\nPersonality traits: precise, patient\n");
    expect((await asked(home, {})).system).not.toContain("## Persona");
  });

  test("uses an edited profile from the next turn on, and an edit keeps omitted fields", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("agent.create", { name: "ada", ...PERSONA });
    const { pid } = await asked(home, { as: "ada" });
    await home.sys.call("persona.set", { name: "ada", background: "Trains." });
    await home.say("again", { pid });
    const system = home.model.asked(pid).at(-1)?.system ?? "";
    expect(system).toContain("Background: Trains.");
    expect(system).toContain("Archetype: technical");
    await home.sys.call("persona.clear", { name: "ada" });
    await home.say("once more", { pid });
    expect(home.model.asked(pid).at(-1)?.system).not.toContain("## Persona");
  });

  test("has the tools of its profile, offered and allowed, and bundles add theirs", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("agent.create", { name: "ada", tools: "read,Search" });
    const { pid, tools } = await asked(home, { as: "ada" });
    expect(tools).toEqual(["Read", "Search"]);
    home.model.will(pid, { calls: [{ id: "a", name: "Write", args: { path: "~/x", content: "x" } }] }, { text: "no" });
    await home.say("write", { pid });
    const result = (await home.messages(pid)).findLast(({ role }) => role === "toolResult");
    expect(JSON.stringify(result)).toContain("unknown tool Write; available: Read, Search.");
    await home.sys.call("bundle.assign", { name: "coder", agent: "ada" });
    await home.say("again", { pid });
    expect(
      home.model
        .asked(pid)
        .at(-1)
        ?.tools.map(({ name }) => name),
    ).toContain("Write");
    expect(home.model.asked(pid).at(-1)?.system).toContain("## Skill Instructions");
  });

  test("is not changed by a wrong tool, bundle or name", async () => {
    await using home = await TestKernel.boot();
    const wrong = [{ tools: "Fly" }, { bundles: "nope" }, { name: "Not A Name" }];
    for (const each of wrong) await home.refusal("agent.create", { name: "ada", ...each });
    const { agents } = await home.sys.call<{ agents: AgentInfo[] }>("agent.list", {});
    expect(agents.map(({ name }) => name)).toEqual(["friday"]);
    expect(await home.refusal("agent.show", { name: "ada" })).toMatchObject({ code: "ENOENT" });
  });

  test("cannot edit its own profile", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("agent.create", { name: "ada" });
    const agent = await home.insideOf(INIT);
    for (const call of ["agent.edit", "persona.set"])
      expect(await home.refusal(call, { name: "ada", traits: "free" }, agent)).toMatchObject({ code: "EPERM" });
  });

  test("loses its profile when removed", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("agent.create", { name: "ada", ...PERSONA, bundles: "coder" });
    await home.sys.call("agent.rm", { name: "ada" });
    await home.sys.call("agent.create", { name: "ada" });
    expect(await home.sys.call<AgentInfo>("agent.show", { name: "ada" })).toMatchObject({ persona: null, bundles: [] });
  });
});

describe("a bundle", () => {
  test("of your own can be added and removed; built-in ones stay", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("bundle.create", { name: "writer", tools: "write", prompt: "Keep lines short." });
    await home.sys.call("agent.create", { name: "ada", bundles: "writer" });
    await home.sys.call("bundle.rm", { name: "writer" });
    expect((await home.sys.call<AgentInfo>("agent.show", { name: "ada" })).bundles).toEqual([]);
    expect(await home.refusal("bundle.rm", { name: "coder" })).toMatchObject({ code: "EPERM" });
    const { bundles } = await home.sys.call<{ bundles: { name: string; preset: boolean }[] }>("bundle.list", {});
    expect(bundles.filter(({ preset }) => preset)).toHaveLength(9);
  });

  test("is one account's: another can use the same name and never sees the first, root included", async () => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    const root = home.person(0);
    await home.sys.call("bundle.create", { name: "writer", prompt: "Sam's lines." });
    for (const other of [bob.sys, root]) {
      expect(await home.refusal("bundle.show", { name: "writer" }, other)).toMatchObject({ code: "ENOENT" });
      await other.call("bundle.create", { name: "writer", prompt: "Other lines." });
      await other.call("bundle.edit", { name: "writer", prompt: "Changed lines." });
      expect(namesOf(await other.call("bundle.list", {})).filter((name) => name === "writer")).toEqual(["writer"]);
      expect(await home.refusal("bundle.create", { name: "coder" }, other)).toMatchObject({ code: "EEXIST" });
    }
    await home.sys.call("agent.create", { name: "ada", bundles: "coder,writer" });
    await home.sys.call("project.create", { name: "site", bundles: "writer" });
    await bob.sys.call("agent.create", { name: "bill", bundles: "writer" });
    expect((await asked(home, { as: "ada" })).system).toContain("Sam's lines.");
    expect((await asked(home, { project: "site" })).system).toContain("Sam's lines.");
    for (const other of [bob.sys, root]) await other.call("bundle.rm", { name: "writer" });
    expect((await bob.sys.call<AgentInfo>("agent.show", { name: "bill" })).bundles).toEqual([]);
    expect((await home.sys.call<AgentInfo>("agent.show", { name: "ada" })).bundles).toEqual(["coder", "writer"]);
  });
});

describe("a project", () => {
  test("is part of the prompt of a council's members and chair", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("project.create", { name: "site", instructions: "Dutch first." });
    await home.sys.call("agent.create", { name: "ada" });
    const words = ["--members", "ada,friday", "--rounds", "0", "--chair", "ada"];
    const council = (project: string) => type(home, "council", "Which host?", ...words, "--project", project);
    expect(await council("site")).toMatchObject({ status: 0 });
    const { processes } = await home.sys.call<{ processes: { pid: string; label: string }[] }>("proc.list", {});
    const seats = processes.filter(({ label }) => label.startsWith("council:"));
    expect(seats).toHaveLength(3);
    for (const { pid } of seats) expect(home.model.asked(pid).at(-1)?.system).toContain("Dutch first.");
    expect(await council("nope")).toMatchObject({ status: 3 });
  });

  test("is part of the prompt of its processes and their children", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("project.create", { name: "site", instructions: "Dutch first.", bundles: "researcher" });
    const { pid, system } = await asked(home, { project: "site" });
    expect(system).toContain("## Project site\nDutch first.\n");
    expect(system).toContain("## Skill Instructions\nGive the source");
    expect((await asked(home, { parent: pid })).system).toContain("Dutch first.");
    await home.sys.call("project.rm", { name: "site" });
    await home.say("again", { pid });
    expect(home.model.asked(pid).at(-1)?.system).not.toContain("Dutch first.");
    expect(await home.refusal("proc.spawn", { project: "site" })).toMatchObject({ code: "ENOENT" });
  });
});
