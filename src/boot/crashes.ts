// Why runs failed, written down below crash/: built from what the kernel knows of itself and of this machine.

import { release } from "node:os";
import type { Core } from "../boot.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import { Crashes } from "../process/faults/crashes.ts";
import { COMMIT, VERSION } from "../version.ts";
import { crashKeepingOf } from "./settings.ts";

export function bootCrashes({ kernel, processes: store, machine, redactor, configNow }: Core): Crashes {
  const { clock, log, paths } = machine;
  const files = new CoreFiles(paths.crashDir);
  const system = `${process.platform} ${release()} ${process.arch}`;
  return new Crashes({
    ...{ kernel, store, clock, log },
    versions: { gsv: VERSION, commit: COMMIT, bun: Bun.version, system },
    redact: (text) => redactor.text(text),
    keep: (ownerUid, name, text) => files.write(ownerUid, name, text, crashKeepingOf(configNow())),
  });
}
