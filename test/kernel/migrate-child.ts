// Run by storage.test.ts as its own process: a kernel that moves a home's bytes into its bucket and is killed after a number of writes.

import { bootKernel } from "../../src/boot/boot.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homePaths } from "../../src/paths.ts";
import { seeded } from "../support/random.ts";

const [directory = "", writes = ""] = process.argv.slice(2);

const { write } = Bun.S3Client.prototype;
let left = Number(writes);
Bun.S3Client.prototype.write = function (...given: Parameters<typeof write>) {
  if (left-- === 0) process.kill(process.pid, "SIGKILL");
  return write.apply(this, given);
};

const kernel = await bootKernel({
  paths: homePaths(directory),
  clock: realClock,
  random: seeded(process.pid).bytes,
  osUser: "sam",
  pid: process.pid,
  config: {},
  log: (line) => console.error(line),
});
await kernel.sysFor(0, () => kernel.callers.person(0, "/")).call("storage.migrate", { to: "s3" });
