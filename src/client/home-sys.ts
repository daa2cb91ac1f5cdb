// The Sys of a home for a program that has nothing but the home's directory: finds the kernel there, or starts one.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Sys } from "../abi/sys.ts";
import { realClock } from "../lib/clock.ts";
import { homePaths } from "../paths.ts";
import { clientInfo, clientSys } from "./client.ts";
import { lazySys } from "./lazy.ts";
import { socketPlace } from "./socket.ts";

const ENTRY = join(import.meta.dir, "../main.ts");

export function homeSys(directory: string): Sys {
  const { env } = process;
  const paths = homePaths(resolve(directory));
  const uid = process.getuid?.() ?? 0;
  const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
  const info = clientInfo({ env, clock: realClock, random }, paths.home);
  return lazySys(async () =>
    clientSys({
      paths,
      uid,
      random,
      clock: realClock,
      socket: () => socketPlace(paths, { uid, runtimeDir: env.XDG_RUNTIME_DIR }),
      info,
      // Inside the binary there is no entry beside this file.
      command: existsSync(ENTRY) ? [process.execPath, ENTRY] : [process.execPath],
      env,
      onFirstRun: () => {},
    }),
  );
}
