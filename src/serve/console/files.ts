// The files of the web console. From the sources, they are built at the first request; the build puts the finished files in place of this
// module.

import type { ConsoleFile } from "./file.ts";

const QUICK = 5;

export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  const { builtConsole } = await import("./build.ts");
  return await builtConsole(QUICK);
}
