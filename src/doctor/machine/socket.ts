// Where commands meet the kernel: a path that can be bound, with a socket at it or nothing.

import { lstatSync, rmSync } from "node:fs";
import { SysError } from "../../abi/errno.ts";
import { quoted } from "../../lib/text/quote.ts";
import { type Check, type Found, faultLine, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";

export const socket: Check = {
  name: "socket",
  needsHome: true,
  look(patient) {
    try {
      return [judged(patient, patient.socketPath())];
    } catch (error) {
      const fix = error instanceof SysError ? error.hints.join("; ") : "";
      return [problem(faultLine(error), fix === "" ? {} : { fix })];
    }
  },
};

function judged(patient: Patient, path: string): Found {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const elsewhere = path === patient.paths.socket ? "" : ", because the home's own path is too long for one";
  if (stat === undefined) return ok(`${path}, when a kernel runs${elsewhere}`);
  if (!stat.isSocket())
    return problem(`${path} is not a socket; a kernel needs the place`, {
      fix: `mv ${quoted(path)} ${quoted(`${path}.old`)}`,
    });
  if (patient.lock.isHeld()) return ok(`${path}${elsewhere}`);
  return notice(`${path} was left by a kernel that is gone`, {
    fix: `rm ${quoted(path)}`,
    repair: () =>
      patient.lock.hold(async () => {
        if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
        return "the socket nobody listens at is taken away";
      }),
  });
}
