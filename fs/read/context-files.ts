// Context files stored as rows: /proc/PID/context.d and /sys/config/ai/context.d.

import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { FileError } from "../error.ts";
import type { Row } from "../generated/synthetic.ts";
import { requestOf } from "../proc/control.ts";

type Files = { readonly files: readonly { readonly name: string; readonly text: string }[] };

export interface ContextFilesOptions {
  /** Ends in `/*`. */
  readonly path: string;
  readonly sysFor: (caller: Caller) => Sys;
  readonly actFor: (caller: Caller) => Sys;
  readonly calls: { readonly list: string; readonly set: string };
  /** Call arguments from the path's names. */
  readonly argsOf: (names: readonly string[]) => object;
}

export function contextFileRows({ path, sysFor, actFor, calls, argsOf }: ContextFilesOptions): Row[] {
  const filesOf = async (caller: Caller, names: readonly string[]) =>
    (await unlessGone(path, sysFor(caller).call<Files>(calls.list, argsOf(names)))).files;
  const fileOf = async (caller: Caller, names: readonly string[]) =>
    (await filesOf(caller, names)).find(({ name }) => name === names.at(-1));
  return [
    {
      path,
      // The call checks permissions.
      mode: 0o777,
      list: async (caller, names) => (await filesOf(caller, names)).map(({ name }) => name),
      has: async (caller, names, name) => (await fileOf(caller, [...names, name])) !== undefined,
    },
    {
      path,
      mode: 0o600,
      owner: async ({ uid, gid }) => ({ uid, gid }),
      text: async (caller, names) => (await fileOf(caller, names))?.text ?? "",
      async write(caller, names, text, options) {
        const old = options.at === "end" ? ((await fileOf(caller, names))?.text ?? "") : "";
        const args = { ...argsOf(names), name: names.at(-1), text: old + text };
        await unlessGone(path, actFor(caller).call(calls.set, args, requestOf(options)));
      },
      async remove(caller, names) {
        await unlessGone(path, actFor(caller).call(calls.set, { ...argsOf(names), name: names.at(-1) }));
      },
    },
  ];
}

export async function unlessGone<T>(path: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SysError && (error.code === "ESRCH" || error.code === "ENOENT"))
      throw new FileError("ENOENT", path);
    throw error;
  }
}
