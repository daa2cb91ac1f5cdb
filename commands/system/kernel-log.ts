// `gsv logs --kernel`: the log file of the kernel, without secrets. -f reads the file again and prints what follows the last printed entry.

import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { noSince, SINCE_FORMS, sinceMs } from "../../src/lib/text/since.ts";
import type { Piece } from "../../src/syscalls/fs/fs-tree.ts";
import type { Io } from "../command.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";
import { entriesIn, type LogEntry, newPart } from "./log-entries.ts";

const PATH = "/var/log/gsv/kernel.log";
const ENTRIES = 50;
const LOOK_MS = 1000;

interface KernelLogRequest {
  readonly limit?: number | undefined;
  readonly since?: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
}

export async function kernelLog(io: Io, { limit, since, follow, json }: KernelLogRequest): Promise<number> {
  const from = since === undefined ? 0 : await beginning(io, since);
  const most = limit ?? (since === undefined ? ENTRIES : Number.POSITIVE_INFINITY);
  const text = await whole(io);
  const chosen = entriesIn(text).filter(({ at }) => since === undefined || (at !== null && at >= from));
  await printEntries(io, chosen.slice(Math.max(0, chosen.length - most)), json);
  if (chosen.length === 0 && !follow) await note(io, "(the kernel log is empty)");
  return follow ? followed(io, text, json) : 0;
}

async function beginning(io: Io, since: string): Promise<number> {
  const { value: zone } = await io.sys().call<{ value: string }>("config.get", { key: "userTimezone" });
  const at = sinceMs(since, io.clock.now(), zone);
  if (at === null) throw new SysError("EINVAL", noSince(since), [SINCE_FORMS]);
  return at;
}

async function printEntries(io: Io, entries: readonly LogEntry[], json: boolean): Promise<void> {
  for (const { at, text } of entries) {
    if (json) await io.stdout.write(jsonLine({ at, text }));
    else await printText(io.stdout, at === null ? text : `[${new Date(at).toISOString()}] ${text}`);
  }
}

async function followed(io: Io, printed: string, json: boolean): Promise<number> {
  const over = new AbortController();
  let status: number | null = null;
  const release = io.onEnding((name) => {
    status ??= ENDED_BY[name];
    over.abort();
  });
  // Keeps a kernel up, so that there is something to follow.
  const deaf = io.sys().on({ names: [] }, () => {});
  let seen = printed;
  try {
    while (status === null && !io.stdout.closed) {
      await io.clock.sleep(LOOK_MS, over.signal);
      if (over.signal.aborted) break;
      const now = await whole(io);
      await printEntries(io, entriesIn(newPart(seen, now)), json);
      seen = now;
    }
    return status ?? 0;
  } finally {
    deaf();
    release();
  }
}

async function whole(io: Io): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; ; ) {
    const { data, eof } = await io.sys().call<Piece>("fs.get", { path: PATH, offset });
    const bytes = Buffer.from(data, "base64");
    pieces.push(bytes);
    offset += bytes.byteLength;
    if (eof || bytes.byteLength === 0) return Buffer.concat(pieces).toString("utf8");
  }
}
