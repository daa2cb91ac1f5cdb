// The kernel of another computer, named by GSV_SERVER, for every command. A token would be readable on the way without TLS.

import { SysError } from "../abi/errno.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { ClientInfo, Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { reveal } from "../lib/text/sanitize.ts";
import { openRemoteSys } from "../rpc/remote.ts";
import { isLoopbackHost } from "../serve/listen-address.ts";
import { syscallNamed } from "../syscalls/table.ts";

export interface RemoteMachine {
  readonly env: { readonly [name: string]: string | undefined };
  readonly info: ClientInfo;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** Null without GSV_SERVER. */
export function remoteSys({ env, ...machine }: RemoteMachine): Sys | null {
  const { GSV_SERVER: server = "", GSV_TOKEN: token = "" } = env;
  if (server === "") return null;
  const url = originOf(server);
  if (token === "")
    throw new SysError("EAUTH", "GSV_SERVER needs a token in GSV_TOKEN", [
      "on that computer: gsv auth token create --label NAME",
    ]);
  // As the header of a request it would fail without saying why.
  if (!/^[\x21-\x7e]{1,256}$/.test(token))
    throw new SysError("EAUTH", "GSV_TOKEN is not a token: it has spaces or other characters", [
      "on that computer: gsv auth token create --label NAME",
    ]);
  const classOf = async (name: string) => (await syscallNamed(name))?.class;
  return openRemoteSys({ ...machine, url, token, classOf });
}

function originOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.username !== "" || url.password !== ""))
    throw new SysError("ECONFIG", "GSV_SERVER must not contain a name or a password", [
      `for example: GSV_SERVER=${url.protocol}//${reveal(url.host)} with a token in GSV_TOKEN`,
    ]);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
  if (!isOrigin || url.hash !== "")
    throw new SysError("ECONFIG", `GSV_SERVER is not an address of a server: ${reveal(text.slice(0, 100))}`, [
      "for example: GSV_SERVER=https://gsv.example:4870",
    ]);
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw new SysError("ECONFIG", `GSV_SERVER=${reveal(text)} would send the token unencrypted`, [
      "use https, or a tunnel to a port of this computer: ssh -L 4870:127.0.0.1:4870 HOST",
    ]);
  return url.origin;
}
