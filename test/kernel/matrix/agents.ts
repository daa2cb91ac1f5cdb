// The rows of the capability matrix for agents, personas, bundles, projects and credits: an owner's, and root's if root has access to them.

import { ABSENT, ALL, type Owner, PERSON, PERSONS_OWN, type Rows, type World } from "./world.ts";

/** No one has access to another's projects and bundles, not even root. */
const OWN = ["ok", "ENOENT", "ENOENT", "EPERM", "EPERM"] as const;

const UNSEEN = ["ok", "ENOENT", "ENOENT", "ok", "ENOENT"] as const;

const theAgent = async (world: World, owner: Owner) => ({ name: await world.agent(owner) });
const made = (call: string) => async (world: World, owner: Owner) => {
  const name = world.fresh();
  await world.people[owner].call(call, { name });
  return { name };
};
const theBundle = made("bundle.create");
const theProject = made("project.create");

export const AGENT_ROWS: Rows = {
  "agent.list": { outcomes: ALL, about: () => ({}) },
  "agent.show": { outcomes: ABSENT, about: theAgent },
  // No agent can belong to root.
  "agent.create": {
    outcomes: ["ok", "ok", "EINVAL", "EPERM", "EPERM"],
    about: (world) => ({ name: world.fresh() }),
  },
  "agent.edit": { outcomes: PERSONS_OWN, about: theAgent },
  "agent.rm": { outcomes: PERSONS_OWN, about: theAgent },
  "persona.show": { outcomes: ABSENT, about: theAgent },
  "persona.set": { outcomes: PERSONS_OWN, about: theAgent },
  "persona.clear": { outcomes: PERSONS_OWN, about: theAgent },
  "bundle.list": { outcomes: ALL, about: () => ({}) },
  "bundle.show": { outcomes: UNSEEN, about: theBundle },
  "bundle.create": { outcomes: PERSON, about: (world) => ({ name: world.fresh() }) },
  "bundle.edit": { outcomes: OWN, about: theBundle },
  "bundle.rm": { outcomes: OWN, about: theBundle },
  "bundle.assign": {
    outcomes: PERSONS_OWN,
    about: async (world, owner) => ({ name: "coder", agent: await world.agent(owner) }),
  },
  "bundle.unassign": {
    outcomes: PERSONS_OWN,
    async about(world, owner) {
      const held = { name: "coder", agent: await world.agent(owner) };
      await world.people[owner].call("bundle.assign", held);
      return held;
    },
  },
  "project.list": { outcomes: ALL, about: () => ({}) },
  "project.create": { outcomes: PERSON, about: (world) => ({ name: world.fresh() }) },
  "project.show": { outcomes: UNSEEN, about: theProject },
  "project.edit": { outcomes: OWN, about: theProject },
  "project.rm": { outcomes: OWN, about: theProject },
  "credits.balance": { outcomes: ALL, about: () => ({}) },
  "credits.ledger": { outcomes: ALL, about: () => ({ wallet: "ALICE7" }) },
  "credits.grant": { outcomes: PERSON, about: () => ({ wallet: "ALICE7", amount: 1 }) },
  "credits.rate": { outcomes: PERSON, about: () => ({}) },
};
