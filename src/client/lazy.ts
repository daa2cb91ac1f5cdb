// A Sys that connects at its first use, because many commands (help, version, usage errors) never use it.

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
        // It may have been stopped meanwhile.
        if (stop !== null) stop = real.on(filter, listener);
      });
      // The next call reports the error.
      ready.catch(() => {});
      return () => {
        stop?.();
        stop = null;
      };
    },
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}
