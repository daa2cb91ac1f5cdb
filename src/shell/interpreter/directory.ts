// A shell has its own working directory, the kernel only knows that of the connection. So paths in calls are made absolute here.

import { join } from "../../../fs/path.ts";
import type { Sys } from "../../abi/sys.ts";
import { syscallNamed } from "../../syscalls/table.ts";

export function inDirectory(sys: Sys, cwd: string): Sys {
  return {
    on: (filter, listener) => sys.on(filter, listener),
    close: () => sys.close(),
    async call<Result>(name: string, args: object, options?: Parameters<Sys["call"]>[2]) {
      const { input = {} } = (await syscallNamed(name)) ?? {};
      const placed = Object.entries(args).map(([key, value]) => [
        key,
        isPath(input[key]) ? absolute(value, cwd) : value,
      ]);
      return sys.call<Result>(name, Object.fromEntries(placed), options);
    },
  };
}

function isPath(field: { readonly kind: string } | undefined): boolean {
  return field?.kind === "path" || field?.kind === "paths";
}

function absolute(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map((each) => absolute(each, cwd));
  return typeof value === "string" && !value.startsWith("~") ? join(cwd, value) : value;
}
