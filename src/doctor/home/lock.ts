// The lock of the home and who holds it: nobody, a kernel that answers, or one that does not. What a kernel that died wrote of itself is
// taken away only while no other can start.

import { existsSync, rmSync } from "node:fs";
import { isStopped } from "../../lib/stopped.ts";
import { quoted } from "../../lib/text/quote.ts";
import { type Check, type Found, notice, ok, problem } from "../check.ts";
import type { Answer, Patient } from "../patient.ts";

export const lock: Check = {
  name: "lock",
  needsHome: true,
  async look(patient) {
    const { paths } = patient;
    if (existsSync(paths.lockFile)) {
      const fault = patient.lock.fault();
      if (fault !== null)
        return [problem(`${paths.lockFile} is no lock: ${fault}`, { fix: `rm ${quoted(paths.lockFile)}` })];
      if (patient.lock.isHeld()) return [await held(patient)];
    }
    if (!existsSync(paths.kernelInfo)) return [ok("no kernel runs; one starts when something needs it")];
    return [stale(patient)];
  },
};

async function held(patient: Patient): Promise<Found> {
  const holder = patient.lock.holder();
  const who = holder === null ? "a kernel" : `the kernel (pid ${holder.pid})`;
  // A suspended process is known at once where the machine says so; asking it would take as long as one waits for an answer.
  const isSuspended = () => holder !== null && isStopped(holder.pid) === true;
  const answer: Answer = isSuspended() ? { how: "silent" } : await patient.greet();
  if (answer.how === "ready") return ok(`${who} holds the home and answers`);
  // It may have left between two looks.
  if (!patient.lock.isHeld()) return ok("no kernel runs; one starts when something needs it");
  if (answer.how === "silent")
    return problem(`${who} holds the home and does not answer${isSuspended() ? ": it is suspended" : ""}`, {
      fix: holder === null ? "resume the suspended gsv kernel" : `kill -CONT ${holder.pid}`,
    });
  return problem(`${who} holds the home and cannot be reached at its socket`, {
    fix: holder === null ? "end the gsv kernel that holds it" : `kill ${holder.pid}`,
  });
}

function stale(patient: Patient): Found {
  const { kernelInfo } = patient.paths;
  const pid = patient.lock.holder()?.pid;
  return notice(`run/kernel.json is of a kernel that is gone${pid === undefined ? "" : ` (pid ${pid})`}`, {
    fix: `rm ${quoted(kernelInfo)}`,
    repair: () =>
      patient.lock.hold(async () => {
        rmSync(kernelInfo, { force: true });
        return "run/kernel.json taken away";
      }),
  });
}
