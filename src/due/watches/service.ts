// The service behind signal.*: checks watches and stores them.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, mayUse } from "../../abi/identity.ts";
import { uuidv7 } from "../../abi/ids.ts";
import { namesSignals, SIGNAL_NAMES, wantsName } from "../../abi/signal.ts";
import { UNWATCHED, WATCH_TTL_MS, type WatchAction } from "../../abi/watch.ts";
import type { ReceiptContext } from "../../kernel/dispatch.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import type { Clock } from "../../lib/clock.ts";
import { defined } from "../../lib/defined.ts";
import { durationMs } from "../../lib/text/duration.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { WatchRow } from "../../store/kernel/due/watches.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { WatchedSignals, WatchRequest } from "../../syscalls/due/signal-service.ts";
import { shownWatch, watchList } from "./list.ts";
import type { Watches } from "./watches.ts";
import { conditionOf } from "./where.ts";

export interface WatchServicePorts {
  readonly kernel: KernelStore;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  readonly watches: Pick<Watches, "hear" | "forget">;
  /** Called after a watch was stored. */
  readonly arm: () => Promise<void>;
}

const KEY = /^[A-Za-z0-9._-]{1,64}$/;

export function watchesService(ports: WatchServicePorts): WatchedSignals {
  const { kernel, clock, random, watches } = ports;
  return {
    async watch(context, request) {
      const { caller } = context;
      const now = clock.now();
      const id = uuidv7(now, random);
      const row: WatchRow = {
        ...{
          id,
          ownerUid: caller.ownerUid,
          creator: { uid: caller.uid, ...defined({ pid: caller.pid, dropped: caller.dropped }) },
        },
        ...{ key: request.key ?? `w${id.slice(-6)}`, signal: signalOf(request.signal), state: request.state ?? null },
        ...{ pid: request.pid ?? null, where: request.where ?? null, once: request.once === true },
        ...{ action: await actionOf(kernel, caller, request), status: "active", fired: 0, lastAt: null, error: null },
        ...{ createdAt: now, expiresAt: now + ttlOf(request.ttl) },
      };
      if (!KEY.test(row.key))
        throw new SysError("EINVAL", `invalid key: ${JSON.stringify(row.key)}`, [
          "use letters, digits, - _ and ., at most 64",
        ]);
      if (row.pid !== null && (await visibleProcess(kernel, caller, row.pid)).ownerUid !== caller.ownerUid)
        throw new SysError("EPERM", `${row.pid} belongs to another account`);
      if (row.where !== null) conditionOf(row.where);
      refuseOwnNotices(row);
      await refuseTooMany(kernel, row, now);
      const { receipt } = context as ReceiptContext;
      const stored = await kernel.watches.put(row, receipt === undefined ? null : (put) => receipt(shownWatch(put)));
      watches.hear(stored);
      await ports.arm();
      return shownWatch(stored);
    },

    async unwatch({ caller }, key) {
      const row = await kernel.watches.named(caller.ownerUid, key);
      if (row === null) throw new SysError("ENOENT", `no such watch: ${clip(key)}`, ["to list yours: gsv on --list"]);
      await kernel.watches.remove(row.id);
      watches.forget(row.id);
      return { key };
    },

    list: watchList(ports),
  };
}

function signalOf(name: string): string {
  if (!namesSignals(name)) {
    const close = nearest(name, SIGNAL_NAMES);
    throw new SysError("EINVAL", `no such event: ${clip(name)}`, [
      close.length > 0 ? `did you mean ${close.join(" or ")}` : `events are ${SIGNAL_NAMES.join(", ")}`,
    ]);
  }
  if (UNWATCHED.some((each) => each === name)) throw new SysError("EINVAL", `${name} cannot be watched`);
  return name;
}

async function actionOf(
  kernel: KernelStore,
  caller: Caller,
  { send, text, exec, notify }: WatchRequest,
): Promise<WatchAction> {
  if ([send, exec, notify].filter((each) => each !== undefined).length !== 1)
    throw new SysError("EINVAL", "use one of --send, --exec and --notify");
  if (send === undefined && text !== undefined) throw new SysError("EINVAL", "a text needs --send PID");
  if (send !== undefined) {
    needs(caller, "proc.send");
    if (text === undefined) throw new SysError("EINVAL", "--send needs a text after its pid");
    await visibleProcess(kernel, caller, send);
    return { kind: "send", pid: send, text };
  }
  if (exec !== undefined) {
    needs(caller, "shell.exec");
    return { kind: "exec", text: exec };
  }
  needs(caller, "notification.create");
  return { kind: "notify", text: notify ?? "" };
}

function needs(caller: Caller, capability: string): void {
  if (mayUse(caller, capability)) return;
  throw new SysError("EPERM", `${caller.username} may not do this by a watch (needs ${capability})`);
}

function ttlOf(text: string | undefined): number {
  const { usual, min, max } = WATCH_TTL_MS;
  const ms = text === undefined ? usual : durationMs(text);
  if (ms !== null && ms >= min && ms <= max) return ms;
  throw new SysError("EINVAL", `invalid --ttl: ${JSON.stringify(text)}`, ["1s to 30d, for example 30m or 2h"]);
}

/** Several notifications may be announced as one, which does not name their causes: such a watch could fire on itself. */
function refuseOwnNotices({ signal, action }: WatchRow): void {
  if (action.kind !== "notify" || !wantsName({ names: [signal] }, "notification.created")) return;
  throw new SysError("EINVAL", "a notification cannot follow a notification");
}

async function refuseTooMany(kernel: KernelStore, { ownerUid, key }: WatchRow, now: number): Promise<void> {
  const all = await kernel.watches.list(ownerUid, now);
  if (all.length < LIMITS.watchesPerOwnerMax || all.some((each) => each.key === key)) return;
  throw new SysError("ELIMIT", `this account already has ${LIMITS.watchesPerOwnerMax} watches`, [
    "to list them: gsv on --list; to remove one: gsv on --rm KEY",
  ]);
}
