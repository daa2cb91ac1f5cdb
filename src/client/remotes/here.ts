// The remotes of one invocation: which kernel it uses, and the state of the connection. Loads nothing else for the home of this computer.

import { existsSync } from "node:fs";
import type { Remotes } from "../../../commands/command.ts";
import { SysError } from "../../abi/errno.ts";
import { type LineState, LOCAL, lineText, type RemoteServer } from "../../abi/remote.ts";
import type { ClientInfo, Sys } from "../../abi/sys.ts";
import { remotesFile } from "./place.ts";
import type { RemoteMachine } from "./server.ts";

export interface RemotesHere extends Remotes {
  current(): Promise<RemoteServer | null>;
  open(server: RemoteServer, account: string | null): Promise<Sys>;
}

type Machine = Omit<RemoteMachine, "info" | "onLine" | "onSignedOut"> & {
  readonly info: () => Promise<ClientInfo>;
  readonly say: (line: string) => void;
};

export function remotesHere(machine: Machine): RemotesHere {
  const { env, say } = machine;
  const file = remotesFile(env);
  let chosen: string | null = null;
  let found: Promise<RemoteServer | null> | null = null;
  let name: string | null = null;
  let hear: ((state: LineState) => void) | null = null;
  let hearEnd: (why: SysError) => void = () => {};

  const onLine = (state: LineState) => {
    if (hear !== null) hear(state);
    else say(`gsv: ${lineText(name, state)}\n`);
  };

  const lines = { onLine, onSignedOut: (why: SysError) => hearEnd(why) };

  async function find(): Promise<RemoteServer | null> {
    if (chosen === LOCAL) return null;
    if (chosen === null && !env.GSV_SERVER && !env.GSV_REMOTE && !existsSync(file)) return null;
    const server = (await import("./server.ts")).remoteServer(env, chosen);
    name = server?.name ?? null;
    return server;
  }

  const current = () => {
    found ??= find();
    return found;
  };

  return {
    choose(named) {
      chosen = named;
      found = null;
    },
    current,
    get name() {
      return name;
    },
    onLine(listener) {
      hear = listener;
      return () => {
        hear = null;
      };
    },
    onSignedOut(listener) {
      hearEnd = listener;
      return () => {
        hearEnd = () => {};
      };
    },
    saved: async () => (await import("./saved.ts")).savedRemotes(file),
    async entry() {
      const { remoteEntry } = await import("./entry.ts");
      return remoteEntry({ ...machine, info: await machine.info(), ...lines });
    },
    async open(server, account) {
      if (account !== null)
        throw new SysError("EUSAGE", `--user ${account} does not work with a remote kernel`, [
          `sign in there as that account: gsv login ${server.url} --user ${account} --name NAME`,
        ]);
      const { remoteSys } = await import("./server.ts");
      return remoteSys(server, { ...machine, info: await machine.info(), ...lines });
    },
    async onlyHere(what) {
      const server = await current();
      if (server === null) return;
      throw new SysError("EPERM", `${what}: not available on a remote kernel (${server.name})`, [
        `for this computer: gsv --remote ${LOCAL} …`,
      ]);
    },
  };
}
