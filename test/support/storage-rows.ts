// The rows of the capability matrix for stored bytes: those of the home, and the media of a process.

import type { Owner, World } from "./matrix-world.ts";

const ALL = ["ok", "ok", "ok", "ok", "ok"] as const;
const ROOT = ["EPERM", "EPERM", "ok", "EPERM", "EPERM"] as const;
const HIDDEN = ["ok", "ESRCH", "ok", "ok", "ESRCH"] as const;

const pid = async (world: World, owner: Owner) => ({ pid: await world.pid(owner) });

export const STORAGE_ROWS = {
  "storage.status": { outcomes: ALL, about: () => ({}) },
  "storage.verify": { outcomes: ALL, about: () => ({}) },
  "storage.gc": { outcomes: ROOT, about: () => ({ dryRun: true }) },
  // Root gets the answer that the bytes are there already.
  "storage.migrate": {
    outcomes: ["EPERM", "EPERM", "EINVAL", "EPERM", "EPERM"] as const,
    about: () => ({ to: "disk" }),
  },
  "proc.media.list": { outcomes: HIDDEN, about: pid },
  "proc.media.put": {
    outcomes: HIDDEN,
    about: async (world: World, owner: Owner) => ({ data: "aGk=", ...(await pid(world, owner)) }),
  },
  "proc.media.get": { outcomes: HIDDEN, about: (world: World, owner: Owner) => world.media(owner) },
  "proc.media.rm": { outcomes: HIDDEN, about: (world: World, owner: Owner) => world.media(owner) },
};
