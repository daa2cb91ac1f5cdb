// The rows of the capability matrix for stored bytes: those of the home, and the media of a process.

import { ALL, HIDDEN, pid, ROOT, type Rows } from "./world.ts";

export const STORAGE_ROWS: Rows = {
  "storage.status": { outcomes: ALL, about: () => ({}) },
  "storage.verify": { outcomes: ALL, about: () => ({}) },
  "storage.gc": { outcomes: ROOT, about: () => ({ dryRun: true }) },
  // Root has configured no bucket.
  "storage.rebuild": {
    outcomes: ["EPERM", "EPERM", "ECONFIG", "EPERM", "EPERM"],
    about: () => ({ dryRun: true }),
  },
  // Root gets the answer that the bytes are there already.
  "storage.migrate": {
    outcomes: ["EPERM", "EPERM", "EINVAL", "EPERM", "EPERM"],
    about: () => ({ to: "disk" }),
  },
  "proc.media.list": { outcomes: HIDDEN, about: pid },
  "proc.media.put": {
    outcomes: HIDDEN,
    about: async (world, owner) => ({ data: "aGk=", ...(await pid(world, owner)) }),
  },
  "proc.media.get": { outcomes: HIDDEN, about: (world, owner) => world.media(owner) },
  "proc.media.rm": { outcomes: HIDDEN, about: (world, owner) => world.media(owner) },
};
