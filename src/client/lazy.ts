// What a command loads at its first use. Many commands (help, version, usage errors) never use a Sys, and few use the home itself.

import type { Io } from "../../commands/command.ts";
import type { HomeKeeping } from "../abi/backup.ts";
import type { Credentials } from "../abi/identity.ts";
import type { ConnectingSys, Sys } from "../abi/sys.ts";
import type { KeepMachine } from "../machine/backups.ts";
import type { RemotesHere } from "./remotes/here.ts";
import type { Signing } from "./sign-in.ts";

interface Ways {
  readonly remotes: RemotesHere;
  readonly signIn: Signing;
  /** The kernel of the home of this computer. */
  readonly openHome: (login: Credentials | undefined) => Promise<Sys | ConnectingSys>;
}

/** With a token: a connection of its own. */
export function connecting({ remotes, signIn, openHome }: Ways): (token?: string) => ConnectingSys {
  return (token) =>
    lazySys(async () => {
      const server = await remotes.current();
      if (server !== null) return await remotes.open({ ...server, ...(token && { token }) }, signIn.acted());
      return await openHome(token === undefined ? await signIn.credentials() : { token });
    });
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

export function lazyKeeping(home: () => Promise<KeepMachine>): HomeKeeping {
  const keeping = async () => (await import("../machine/backups.ts")).homeKeeping(await home());
  return {
    backup: async (...given) => (await keeping()).backup(...given),
    restore: async (...given) => (await keeping()).restore(...given),
    usage: async () => (await keeping()).usage(),
  };
}

/** Signals, and a closed output pipe. */
export function withReader(onSignal: Io["onSignal"]): Io["onEnding"] {
  return (listener) => {
    const stops = [onSignal(listener)];
    void import("../machine/reader.ts").then(({ onReaderGone }) => {
      if (stops.length > 0) stops.push(onReaderGone(1, () => listener("PIPE")));
    });
    return () => {
      for (const stop of stops.splice(0)) stop();
    };
  };
}
