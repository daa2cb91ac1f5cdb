// `gsv manager`: the process manager for programs in any language, as JSON lines on stdin and stdout. Runs until its input ends.

import { ENDED_BY } from "../../src/abi/errno.ts";
import { linesOf } from "../../src/lib/text/lines.ts";
import { usageError } from "../args.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";

const spec = {
  name: "manager",
  summary: "Control gsv from a program (JSON lines)",
  input: {},
  examples: [
    `echo '{"id":1,"call":"getActiveSessionIds"}' | gsv manager`,
    `echo '{"id":2,"call":"isRunning","args":["agent:main:cli:dm:main"]}' | gsv manager`,
  ],
  notes: [
    "Each line of stdin is a call; stdout has its result or error, and the events of all sessions.\nEnds with its input. Sessions continue. gsv man seeds lists the methods.",
  ],
};

export const manager = command(spec, async (_, io) => {
  if (io.stdin.kind === "none") throw usageError(spec, "nothing to read: stdin is closed");
  await io.kernel.start();
  const ended = Promise.withResolvers<number>();
  const stop = io.onEnding((name) => ended.resolve(ENDED_BY[name]));
  const print = (value: object) => io.stdout.write(jsonLine(value));
  const served = io.kernel.manage({ input: linesOf(io.stdin.bytes()), print });
  return await Promise.race([served.then(() => 0), ended.promise]).finally(stop);
});
