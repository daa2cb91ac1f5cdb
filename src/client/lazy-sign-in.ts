// Loads the sign-in only to act as another account.

import type { Clock } from "../lib/clock.ts";
import type { Signing } from "./sign-in.ts";

interface Here {
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
}

export function signingIn({ env, clock }: Here, ask: (prompt: string) => Promise<string | null>): Signing {
  let acted: Parameters<Signing["as"]> | null = null;
  let asks = true;
  const loaded = async () => {
    const { signing } = await import("./sign-in.ts");
    const { homeFrom, homePaths } = await import("../paths.ts");
    const runDir = () => homePaths(homeFrom(env.GSV_HOME, env.HOME || "/")).runDir;
    const made = signing({ env, runDir, now: () => clock.now(), ask });
    if (acted !== null) made.as(...acted);
    if (!asks) made.unasked();
    return made;
  };
  return {
    as: (...how) => {
      acted = how;
    },
    unasked: () => {
      asks = false;
    },
    acted: () => acted?.[0] ?? null,
    keep: async (...login) => (await loaded()).keep(...login),
    kept: async (name) => (await loaded()).kept(name),
    forget: async (name) => (await loaded()).forget(name),
    credentials: async () => (acted === null && !env.GSV_TOKEN ? undefined : (await loaded()).credentials()),
  };
}
