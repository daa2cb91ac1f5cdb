// Where the home of an invocation is, and the socket of its kernel.

import { checkedEnvironment, homeFrom, homePaths } from "../../paths.ts";
import { socketPlace } from "../socket.ts";

export interface HomeSearch {
  readonly env: { readonly [name: string]: string | undefined };
  readonly uid: number;
}

/** Throws if GSV_HOME is invalid. */
export async function homePlace({ env: given, uid }: HomeSearch) {
  const env = await checkedEnvironment(given);
  const paths = homePaths(homeFrom(env.GSV_HOME, env.HOME ?? (await import("node:os")).homedir()));
  return { paths, socket: () => socketPlace(paths, { uid, runtimeDir: env.XDG_RUNTIME_DIR }) };
}
