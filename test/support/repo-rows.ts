// Rows of the capability matrix for repositories and workspaces: each caller's rights on each owner's.

import type { Owner, World } from "./matrix-world.ts";

/** Of the owner, another person, root, the owner's process, another's process. */
const ALL = ["ok", "ok", "ok", "ok", "ok"] as const;
const ABSENT = ["ok", "ENOENT", "ok", "ok", "ENOENT"] as const;
const PERSONS_OWN = ["ok", "ENOENT", "ok", "EPERM", "EPERM"] as const;

/** No server is there: a caller with the right gets another error. */
const remote = "https://127.0.0.1:1/x.git";
const inWorkspace = (more: object) => async (world: World, owner: Owner) => ({
  id: await world.workspace(owner),
  ...more,
});
const inRepo = (more: object) => async (world: World, owner: Owner) => ({ ...(await world.repo(owner)), ...more });

export const REPO_ROWS = {
  "repo.list": { outcomes: ALL, about: () => ({}) },
  "repo.create": {
    outcomes: ["ok", "EPERM", "ok", "ok", "EPERM"],
    about: (world: World, owner: Owner) => ({ name: `${owner}/${world.fresh()}` }),
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
    about: (world: World, owner: Owner) => ({ remote, repo: `${owner}/${world.fresh()}` }),
  },
  "repo.sync": { outcomes: ["EIO", "ENOENT", "EIO", "EPERM", "ENOENT"], about: inRepo({ remote }) },
  "repo.delete": { outcomes: PERSONS_OWN, about: inRepo({ force: true }) },
  "workspace.list": { outcomes: ALL, about: () => ({}) },
  "workspace.create": { outcomes: ALL, about: () => ({}) },
  "workspace.get": { outcomes: ABSENT, about: inWorkspace({}) },
  "workspace.log": { outcomes: ABSENT, about: inWorkspace({}) },
  "workspace.attach": {
    outcomes: PERSONS_OWN,
    about: async (world: World, owner: Owner) => ({ what: await world.workspace(owner), pid: await world.pid(owner) }),
  },
  "workspace.speaks": { outcomes: ABSENT, about: inWorkspace({}) },
  "workspace.trust": { outcomes: PERSONS_OWN, about: inWorkspace({}) },
  "workspace.archive": { outcomes: PERSONS_OWN, about: inWorkspace({}) },
} as const;
