// A Sys that connects at its first use, because many commands (help, version, usage errors) never use it.

import type { Input } from "../../commands/command.ts";
import type { ConnectingSys, Sys } from "../abi/sys.ts";

/**
 * True for `gsv chat TEXT` without input: nothing but its kernel can refuse it. The kernel may start, or accept the client, while the command
 * is loaded.
 */
export function isMessage([name, text = "", ...more]: readonly string[], { kind }: Input): boolean {
  if (name !== "chat" || more.length > 0 || text.startsWith("-") || text.trim() === "") return false;
  return kind === "none" || kind === "tty";
}

export function lazySys(open: () => Promise<Sys | ConnectingSys>): ConnectingSys {
  let opened: Promise<Sys | ConnectingSys> | null = null;
  const sys = () => {
    opened ??= open();
    return opened;
  };
  return {
    connect() {
      sys().then(
        (real) => "connect" in real && real.connect(),
        () => {},
      );
    },
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
