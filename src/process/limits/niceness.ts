// Priority of a process at a shared provider. A process can only make itself and its children nicer; only a person can lower niceness.

import { SysError } from "../../abi/errno.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Niceness } from "../../syscalls/services.ts";

const LEAST = -20;
const MOST = 19;

const keyOf = (pid: string) => `processes/${pid}/nice`;

export async function niceOf({ config }: Pick<KernelStore, "config">, pid: string): Promise<number> {
  const key = keyOf(pid);
  return Number((await config.under(key)).find((row) => row.key === key)?.value ?? 0);
}

export function nicenessService({ kernel, clock }: { readonly kernel: KernelStore; readonly clock: Clock }): Niceness {
  return {
    async nice({ caller }: CallContext, pid, wanted) {
      const row = await visibleProcess(kernel, caller, pid);
      const before = await niceOf(kernel, row.pid);
      if (wanted === undefined) return { pid: row.pid, nice: before };
      const nice = niceFrom(wanted);
      if (caller.kind !== "person" && nice < before)
        throw new SysError("EPERM", `only a person can lower the niceness (now ${before})`);
      const by = { uid: caller.uid, now: clock.now() };
      await kernel.config.change([{ key: keyOf(row.pid), value: nice === 0 ? null : String(nice) }], by);
      return { pid: row.pid, nice };
    },
  };
}

function niceFrom(text: string): number {
  const nice = /^[+-]?[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (nice >= LEAST && nice <= MOST) return nice;
  throw new SysError("EINVAL", `not a niceness: ${clip(text)} (use a whole number from ${LEAST} to ${MOST})`);
}
