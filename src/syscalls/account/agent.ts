// agent.* and persona.*: the agents of an account. Only people change them: an agent must not edit its own instructions.

import { ARCHETYPES } from "../../abi/process/agent.ts";
import { facts, field, syscall, value } from "../define.ts";
import type { AgentInfo, Agents } from "./agent-service.ts";
import { agentText } from "./format-agent.ts";

type Service = { agents: Agents };

const TEXT_MAX = 8 * 1024;
const name = field.text("the agent", { positional: true, shortest: 1, longest: 32, meta: "NAME", of: "agent" });
const text = (doc: string, meta = "TEXT") => field.optional(field.text(doc, { longest: TEXT_MAX, meta }));

const persona = {
  archetype: field.optional(field.choice("basic character", ARCHETYPES, { meta: "KIND" })),
  traits: text("traits, comma-separated", "TRAITS"),
  background: text("background and knowledge"),
  voice: text("writing style"),
  example: field.optional(field.words("example of its writing; may be repeated", { longest: TEXT_MAX, meta: "TEXT" })),
};

const profile = {
  description: text("description"),
  model: text("model as PROVIDER/MODEL; empty for the default", "MODEL"),
  tools: text("only these tools, comma-separated; usual for the default set", "TOOLS"),
  bundles: text("bundles in order, comma-separated", "BUNDLES"),
};

export const agentCalls = [
  syscall({
    name: "agent.list",
    summary: "List your agents",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv agent list"],
      print: {
        kind: "table",
        rows: (result: { agents: readonly AgentInfo[] }) => result.agents,
        empty: "(no agents)",
        columns: [
          { head: "NAME", cell: (row: AgentInfo) => row.name },
          { head: "UID", minor: 2, cell: (row: AgentInfo) => String(row.uid), align: "right" },
          { head: "MODEL", cell: (row: AgentInfo) => row.model ?? "-", shrink: true },
          { head: "PERSONA", minor: 1, cell: (row: AgentInfo) => row.persona?.archetype ?? "-" },
          { head: "BUNDLES", cell: (row: AgentInfo) => row.bundles.join(",") || "-", shrink: true },
          { head: "TOOLS", minor: 3, cell: (row: AgentInfo) => row.tools?.join(",") ?? "usual", shrink: true },
          { head: "DESCRIPTION", minor: 4, cell: (row: AgentInfo) => row.description || "-", shrink: true },
        ],
      },
    },
    run: ({ agents }: Service, _args, { caller }) => agents.list(caller),
  }),

  syscall({
    name: "agent.show",
    summary: "Show an agent's profile",
    class: "read",
    input: { name },
    cli: { examples: ["gsv agent show scout"], print: facts(agentText) },
    run: ({ agents }: Service, args, { caller }) => agents.show(caller, args.name),
  }),

  syscall({
    name: "agent.create",
    summary: "Create an agent for processes to act as",
    class: "keyed",
    by: "person",
    input: { name, ...profile, ...persona },
    cli: {
      examples: [
        'gsv agent create scout --description "reads the news" --bundles researcher',
        'gsv agent create ada --archetype technical --traits "precise,patient" --voice "Short sentences."',
      ],
      print: value(({ name: made }: AgentInfo) => `added ${made}; use it: gsv spawn --as ${made}`),
    },
    run: ({ agents }: Service, args, context) => agents.create(context, args),
  }),

  syscall({
    name: "agent.edit",
    summary: "Edit an agent's profile",
    class: "keyed",
    by: "person",
    input: { name, ...profile, ...persona },
    cli: {
      examples: ["gsv agent edit scout --tools Read,Search,Fetch", "gsv agent edit scout --tools usual"],
      print: value(agentText),
    },
    run: ({ agents }: Service, args, context) => agents.edit(context, args),
  }),

  syscall({
    name: "agent.rm",
    summary: "Remove an agent, but not its files",
    class: "keyed",
    by: "person",
    input: { name, force: field.flag("archive and end its processes first") },
    cli: {
      examples: ["gsv agent rm scout"],
      print: value(
        ({ name: gone, ended }: { name: string; ended: readonly string[] }) =>
          `removed ${gone}${ended.length > 0 ? ` (ended ${ended.join(" ")})` : ""}`,
      ),
    },
    run: ({ agents }: Service, args, context) => agents.remove(context, args.name, args.force === true),
  }),
] as const;

export const personaCalls = [
  syscall({
    name: "persona.show",
    summary: "Show the persona of an agent",
    class: "read",
    input: { name },
    cli: { examples: ["gsv persona show ada"], print: value(agentText) },
    run: ({ agents }: Service, args, { caller }) => agents.show(caller, args.name),
  }),

  syscall({
    name: "persona.set",
    summary: "Set the persona of an agent",
    class: "keyed",
    by: "person",
    input: { name, ...persona },
    cli: {
      examples: ['gsv persona set ada --archetype technical --traits "precise,patient" --example "Done: 3 of 3."'],
      print: value(agentText),
    },
    run: ({ agents }: Service, args, context) => agents.edit(context, args),
  }),

  syscall({
    name: "persona.clear",
    summary: "Remove the persona of an agent",
    class: "keyed",
    by: "person",
    input: { name },
    cli: { examples: ["gsv persona clear ada"], print: value(agentText) },
    run: ({ agents }: Service, args, context) => agents.clearPersona(context, args.name),
  }),
] as const;
