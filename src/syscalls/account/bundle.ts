// bundle.* and project.*: sets of tools and instructions, and the projects that processes work on.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Bundle, Project } from "../../abi/process/agent.ts";
import { field, syscall, value } from "../define.ts";
import type { Bundles, Projects } from "./agent-service.ts";
import { bundleText, projectText } from "./format-agent.ts";

const TEXT_MAX = 16 * 1024;
const bundle = field.text("the bundle", { positional: true, shortest: 1, longest: 40, meta: "NAME", of: "bundle" });
const project = field.text("the project", { positional: true, shortest: 1, longest: 60, meta: "NAME", of: "project" });
const text = (doc: string, meta = "TEXT") => field.optional(field.text(doc, { longest: TEXT_MAX, meta }));
const words = {
  description: text("description"),
  tools: text("tools, comma-separated", "TOOLS"),
  prompt: text("instructions for agents with the bundle"),
};
const holder = {
  agent: field.optional(field.text("an agent", { longest: 32, meta: "NAME", of: "agent" })),
  project: field.optional(field.text("a project", { longest: 60, meta: "NAME", of: "project" })),
};
const heldText = ({ to, bundles }: { to: string; bundles: readonly string[] }) =>
  `${to}: ${bundles.join(", ") || "(no bundles)"}`;

type ForBundles = { bundles: Bundles };
type ForProjects = { projects: Projects };

export const bundleCalls = [
  syscall({
    name: "bundle.list",
    summary: "List bundles",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv bundle list"],
      print: {
        kind: "table",
        rows: (result: { bundles: readonly Bundle[] }) => result.bundles,
        empty: "(no bundles)",
        columns: [
          { head: "NAME", cell: (row: Bundle) => row.name },
          { head: "TOOLS", cell: (row: Bundle) => row.tools.join(",") || "-", shrink: true },
          { head: "DESCRIPTION", cell: (row: Bundle) => row.description || "-", shrink: true },
        ],
      },
    },
    run: ({ bundles }: ForBundles, _args, { caller }) => bundles.list(caller),
  }),
  syscall({
    name: "bundle.show",
    summary: "Show one bundle",
    class: "read",
    input: { name: bundle },
    cli: { examples: ["gsv bundle show researcher"], print: value(bundleText) },
    run: ({ bundles }: ForBundles, args, { caller }) => bundles.show(caller, args.name),
  }),
  syscall({
    name: "bundle.create",
    summary: "Create a bundle",
    class: "keyed",
    by: "person",
    input: { name: bundle, ...words },
    cli: {
      examples: ['gsv bundle create writer --tools Read,Write,Edit --prompt "Keep lines short."'],
      print: value(bundleText),
    },
    run: ({ bundles }: ForBundles, args, context) => bundles.create(context, args),
  }),
  syscall({
    name: "bundle.edit",
    summary: "Edit a bundle",
    class: "keyed",
    by: "person",
    input: { name: bundle, ...words },
    cli: { examples: ['gsv bundle edit writer --prompt "Keep lines very short."'], print: value(bundleText) },
    run: ({ bundles }: ForBundles, args, context) => bundles.edit(context, args),
  }),
  syscall({
    name: "bundle.rm",
    summary: "Remove a bundle everywhere",
    class: "keyed",
    by: "person",
    input: { name: bundle },
    cli: { examples: ["gsv bundle rm writer"], print: value(({ name }: { name: string }) => `removed ${name}`) },
    run: ({ bundles }: ForBundles, args, context) => bundles.remove(context, args.name),
  }),
  syscall({
    name: "bundle.assign",
    summary: "Assign a bundle to an agent or project",
    class: "keyed",
    by: "person",
    input: { name: bundle, ...holder },
    cli: {
      examples: ["gsv bundle assign researcher --agent scout", "gsv bundle assign coder --project site"],
      print: value(heldText),
    },
    run: ({ bundles }: ForBundles, { name, ...to }, context) => bundles.assign(context, name, to),
  }),
  syscall({
    name: "bundle.unassign",
    summary: "Unassign a bundle from an agent or project",
    class: "keyed",
    by: "person",
    input: { name: bundle, ...holder },
    cli: { examples: ["gsv bundle unassign researcher --agent scout"], print: value(heldText) },
    run: ({ bundles }: ForBundles, { name, ...from }, context) => bundles.unassign(context, name, from),
  }),
] as const;

const about = {
  workspace: field.optional(
    field.text("workspace id or directory of this computer", {
      longest: LIMITS.pathBytesMax,
      meta: "ID|DIR",
      of: "workspace",
    }),
  ),
  instructions: text("instructions for its processes"),
  bundles: text("bundles in order, comma-separated", "BUNDLES"),
};

export const projectCalls = [
  syscall({
    name: "project.list",
    summary: "List your projects",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv project list"],
      print: {
        kind: "table",
        rows: (result: { projects: readonly Project[] }) => result.projects,
        empty: "no projects yet: gsv project create NAME",
        columns: [
          { head: "NAME", cell: (row: Project) => row.name },
          { head: "WORKSPACE", cell: (row: Project) => row.workspace || "-", shrink: true },
          { head: "BUNDLES", minor: 1, cell: (row: Project) => row.bundles.join(",") || "-", shrink: true },
          { head: "INSTRUCTIONS", minor: 2, cell: (row: Project) => row.instructions || "-", shrink: true },
        ],
      },
    },
    run: ({ projects }: ForProjects, _args, { caller }) => projects.list(caller),
  }),
  syscall({
    name: "project.show",
    summary: "Show one project",
    class: "read",
    input: { name: project },
    cli: { examples: ["gsv project show site"], print: value(projectText) },
    run: ({ projects }: ForProjects, args, { caller }) => projects.show(caller, args.name),
  }),
  syscall({
    name: "project.create",
    summary: "Create a project: directory, instructions, bundles",
    class: "keyed",
    by: "person",
    input: { name: project, ...about },
    cli: {
      examples: ['gsv project create site --instructions "The site of the club. Dutch first." --bundles coder'],
      print: value(({ name }: Project) => `added ${name}; work on it: gsv spawn --project ${name}`),
    },
    run: ({ projects }: ForProjects, args, context) => projects.create(context, args),
  }),
  syscall({
    name: "project.edit",
    summary: "Edit a project",
    class: "keyed",
    by: "person",
    input: { name: project, ...about },
    cli: { examples: ['gsv project edit site --instructions "Dutch and English."'], print: value(projectText) },
    run: ({ projects }: ForProjects, args, context) => projects.edit(context, args),
  }),
  syscall({
    name: "project.rm",
    summary: "Remove a project, but not its files",
    class: "keyed",
    by: "person",
    input: { name: project },
    cli: { examples: ["gsv project rm site"], print: value(({ name }: { name: string }) => `removed ${name}`) },
    run: ({ projects }: ForProjects, args, context) => projects.remove(context, args.name),
  }),
] as const;
