// Run by storage.test.ts in a process of its own, to be killed: a kernel on a home that moves all bytes into its bucket.

import { bootKernel } from "../../src/boot.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homePaths } from "../../src/paths.ts";
import { seeded } from "../support/random.ts";

const [directory = ""] = process.argv.slice(2);
const kernel = await bootKernel({
  paths: homePaths(directory),
  clock: realClock,
  random: seeded(process.pid).bytes,
  osUser: "sam",
  pid: process.pid,
  config: {},
  log: (line) => console.error(line),
});
await kernel.door(0, () => kernel.callers.person(0, "/")).call("storage.migrate", { to: "s3" });
