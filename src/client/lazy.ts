// A Sys that is opened at its first use, because most commands (help, version, a usage error) never use theirs.

import type { Sys } from "../abi/sys.ts";

export function lazySys(open: () => Promise<Sys>): Sys {
  let opened: Promise<Sys> | null = null;
  const sys = () => {
    opened ??= open();
    return opened;
  };
  return {
    call: async (name, args, options) => (await sys()).call(name, args, options),
    on(filter, listener) {
      let stop: (() => void) | null = () => {};
      const ready = sys().then((real) => {
        // Stopped before there was anything to stop.
        if (stop !== null) stop = real.on(filter, listener);
      });
      // What prevents it is told by the next call.
      ready.catch(() => {});
      return () => {
        stop?.();
        stop = null;
      };
    },
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}
