// `gsv logout [NAME]`: revokes the token of a remote on its server, and forgets the remote here. A server that does not answer keeps the token
// until it expires, which is said.

import { messageOf, SysError } from "../../src/abi/errno.ts";
import type { RemoteEntry, SavedRemote } from "../../src/abi/remote.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";

export const logout = command(
  {
    name: "logout",
    summary: "Sign out of gsv on another computer",
    input: {
      name: field.optional(
        field.text("the remote (default: the one in use)", {
          positional: true,
          longest: 63,
          meta: "NAME",
          of: "remote",
        }),
      ),
    },
    examples: ["gsv logout", "gsv logout work"],
    notes: ["Revokes the token there and forgets the remote here. gsv auth logout is for accounts of this computer."],
  },
  async ({ args, json }, io) => {
    const name = args.name ?? io.remotes.name ?? (await io.remotes.current())?.name;
    if (name == null) throw new SysError("EUSAGE", "no remote is in use", ["name one: gsv logout NAME"]);
    return await forget(io, name, json);
  },
);

export async function forget(io: Io, name: string, json: boolean): Promise<number> {
  const saved = await io.remotes.saved();
  const remote = remoteIn(saved.list(), name);
  const fault = await revoke(await io.remotes.entry(), remote).then(
    () => null,
    (error: unknown) => error,
  );
  saved.remove(name);
  const isRevoked = fault === null && remote.tokenId !== null;
  if (json) await io.stdout.write(jsonLine({ name, url: remote.url, revoked: isRevoked }));
  else await printText(io.stdout, `Signed out of ${name} (${remote.url})`);
  if (fault !== null) await note(io, `its token is still valid there: ${messageOf(fault)}`);
  else if (!isRevoked)
    await note(io, "its token was not made by gsv login and stays valid; gsv auth token revoke ends it");
  return 0;
}

export async function revoke(entry: RemoteEntry, remote: SavedRemote): Promise<void> {
  if (remote.tokenId === null) return;
  await entry.signOut(remote);
}

export function remoteIn(remotes: readonly SavedRemote[], name: string): SavedRemote {
  const found = remotes.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new SysError("ENOENT", `no remote is named ${quoted(name)}`, [
    "gsv remote list shows them; gsv login URL adds one",
  ]);
}
