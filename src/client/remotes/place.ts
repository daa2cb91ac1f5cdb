// Where the saved remotes lie. Every command looks there, and most find no file: nothing else is loaded for that.

import { isAbsolute, join } from "node:path";

export function remotesFile(env: { readonly [name: string]: string | undefined }): string {
  const { XDG_CONFIG_HOME: config, HOME: home = "/" } = env;
  return join(config !== undefined && isAbsolute(config) ? config : join(home, ".config"), "gsv", "remotes");
}
