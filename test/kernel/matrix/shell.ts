// The rows of the capability matrix for shell.*: scripts over gsv's files, which their owner and root may follow.

import { ALL, type Owner, type Rows, type World } from "./world.ts";

/** Not even an agent of the same person finds it. */
const FOUND = ["ok", "ENOENT", "ok", "ENOENT", "ENOENT"] as const;

async function ran(world: World, owner: Owner): Promise<string> {
  const id = world.script();
  await world.people[owner].call("shell.run", { id, script: "echo hi" });
  return id;
}

export const SHELL_ROWS: Rows = {
  "shell.run": { outcomes: ALL, about: (world) => ({ id: world.script(), script: ":" }) },
  "shell.exec": { outcomes: ALL, about: () => ({ command: ":" }) },
  "shell.list": { outcomes: ALL, about: () => ({}) },
  "shell.output": {
    outcomes: FOUND,
    about: async (world, owner) => ({ id: await ran(world, owner), from: 0 }),
  },
  "shell.signal": {
    outcomes: FOUND,
    about: async (world, owner) => ({ id: await ran(world, owner), signal: "TERM" }),
  },
  // Scripts over gsv's files get no input.
  "shell.input": {
    outcomes: ["EINVAL", "ENOENT", "EINVAL", "ENOENT", "ENOENT"],
    about: async (world, owner) => ({ id: await ran(world, owner), data: "" }),
  },
  "shell.stop": { outcomes: ALL, about: (world) => ({ id: world.script() }) },
};
