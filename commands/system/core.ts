// Finds a crash record: by its name in /var/crash, by process, by file of this computer, or the newest. The content is checked, because a file
// may come from elsewhere.

import { SysError } from "../../src/abi/errno.ts";
import { CORE_NAME, CORE_VERSION, type CrashCore, coreInstant } from "../../src/abi/process/crash.ts";
import { jsonObject } from "../../src/lib/json-object.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { clip } from "../../src/lib/text/truncate.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Io } from "../command.ts";
import { piecesOf } from "../files/copy/gsv-side.ts";
import { entriesOf } from "../files/entries.ts";
import { wholeHostFile } from "../io/host-files.ts";

export interface NamedCore {
  readonly name: string;
  readonly core: CrashCore;
}

export const coreField = field.optional(
  field.text("crash record, process or file (default: the newest record)", {
    positional: true,
    longest: 4096,
    of: "core",
    meta: "CORE",
  }),
);

const DIRECTORY = "/var/crash";
const PID = /^(?:init|task):[a-z0-9]{1,20}$/;
const BYTES_MAX = 1024 * 1024;

export async function coreNames(io: Io): Promise<readonly string[]> {
  const names = (await entriesOf(io.sys(), DIRECTORY)).map(({ name }) => name);
  return names.toSorted((left, right) => (coreInstant(right) ?? 0) - (coreInstant(left) ?? 0));
}

export async function coreNamed(io: Io, wanted: string | undefined): Promise<NamedCore> {
  const within = wanted?.startsWith(`${DIRECTORY}/`) ? wanted.slice(DIRECTORY.length + 1) : wanted;
  if (within !== undefined && CORE_NAME.test(within)) return parsed(within, await ofGsv(io, within));
  if (within !== undefined && !/^(?:init|task):/.test(within)) return parsed(within, await ofHost(io, within));
  const found = (await coreNames(io)).find((name) => within === undefined || name.startsWith(`${within}-`));
  if (found !== undefined) return parsed(found, await ofGsv(io, found));
  const who = within === undefined ? "no run" : `no run of ${reveal(within)}`;
  throw new SysError("ENOENT", `${who} left a crash record`, ["gsv debug --list shows the records"]);
}

async function ofGsv(io: Io, name: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(piecesOf(io.sys(), `${DIRECTORY}/${name}`))).toString("utf8");
}

async function ofHost(io: Io, path: string): Promise<string> {
  const tooLong = () => new SysError("EFBIG", `${reveal(clip(path))} is too large for a crash record`);
  return (await wholeHostFile(io, path, { bytesMax: BYTES_MAX, tooLong })).toString("utf8");
}

function parsed(name: string, text: string): NamedCore {
  const core = jsonObject(text);
  if (core === null) throw new SysError("EINVAL", `${reveal(clip(name))} is not a crash record`);
  if (core.v !== CORE_VERSION)
    throw new SysError(
      "EINVAL",
      `${reveal(clip(name))} is a crash record of version ${JSON.stringify(core.v ?? null)}`,
      [`this gsv reads version ${CORE_VERSION}`],
    );
  if (!isCore(core)) throw new SysError("EINVAL", `${reveal(clip(name))} is not a crash record`);
  return { name, core };
}

function isCore(value: object): value is CrashCore {
  const { at, pid, label, owner, profile, run, fault, messages, calls, inFlight, versions } =
    value as Partial<CrashCore>;
  const { id, reason, error, usage } = (run ?? {}) as Partial<CrashCore["run"]>;
  const texts = [pid, owner, profile, id, reason, error];
  return (
    [messages, calls, inFlight].every(
      (list) => Array.isArray(list) && list.every((each) => typeof each === "object" && each !== null),
    ) &&
    [versions, usage].every((each) => typeof each === "object" && each !== null) &&
    typeof at === "number" &&
    !Number.isNaN(new Date(at).getTime()) &&
    texts.every((text) => typeof text === "string") &&
    [label, fault].every((text) => text === null || typeof text === "string") &&
    // The name appears in commands to copy.
    PID.test(pid ?? "")
  );
}
