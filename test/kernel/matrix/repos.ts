// Rows of the capability matrix for repositories and workspaces: each caller's rights on each owner's.

import { ABSENT, ALL, type Owner, PERSONS_OWN, type Rows, type World } from "./world.ts";

/** No server is there: a caller with the right gets another error. */
const remote = "https://127.0.0.1:1/x.git";
const inWorkspace = (more: object) => async (world: World, owner: Owner) => ({
  id: await world.workspace(owner),
  ...more,
});
const inRepo = (more: object) => async (world: World, owner: Owner) => ({ ...(await world.repo(owner)), ...more });

export const REPO_ROWS: Rows = {
  "repo.list": { outcomes: ALL, about: () => ({}) },
  "repo.create": {
    outcomes: ["ok", "EPERM", "ok", "ok", "EPERM"],
    about: (world, owner) => ({ name: `${owner}/${world.fresh()}` }),
  },
  "repo.refs": { outcomes: ABSENT, about: inRepo({}) },
  "repo.read": { outcomes: ABSENT, about: inRepo({ path: "a.md" }) },
  "repo.search": { outcomes: ABSENT, about: inRepo({ query: "words" }) },
  "repo.log": { outcomes: ABSENT, about: inRepo({}) },
  "repo.show": { outcomes: ABSENT, about: inRepo({}) },
  "repo.diff": { outcomes: ABSENT, about: inRepo({}) },
  "repo.compare": { outcomes: ABSENT, about: inRepo({ base: "HEAD" }) },
  "repo.restore": { outcomes: ABSENT, about: inRepo({ path: "a.md", ref: "HEAD" }) },
  "repo.apply": { outcomes: ABSENT, about: inRepo({ message: "why", changes: { ops: [{ delete: "a.md" }] } }) },
  "repo.import": {
    outcomes: ["EIO", "EPERM", "EIO", "EPERM", "EPERM"],
    about: (world, owner) => ({ remote, repo: `${owner}/${world.fresh()}` }),
  },
  "repo.sync": { outcomes: ["EIO", "ENOENT", "EIO", "EPERM", "ENOENT"], about: inRepo({ remote }) },
  "repo.delete": { outcomes: PERSONS_OWN, about: inRepo({ force: true }) },
  "workspace.list": { outcomes: ALL, about: () => ({}) },
  "workspace.create": { outcomes: ALL, about: () => ({}) },
  "workspace.get": { outcomes: ABSENT, about: inWorkspace({}) },
  "workspace.log": { outcomes: ABSENT, about: inWorkspace({}) },
  "workspace.attach": {
    outcomes: PERSONS_OWN,
    about: async (world, owner) => ({ what: await world.workspace(owner), pid: await world.pid(owner) }),
  },
  "workspace.speaks": { outcomes: ABSENT, about: inWorkspace({}) },
  "workspace.trust": { outcomes: PERSONS_OWN, about: inWorkspace({}) },
  "workspace.archive": { outcomes: PERSONS_OWN, about: inWorkspace({}) },
} as const;
