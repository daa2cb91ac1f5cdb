// Secrets of links: variables of MCP servers, tokens of OAuth accounts. Each is a JSON object below a folder of the secret store.

import { SysError } from "../../abi/errno.ts";
import { markFrom } from "../../kernel/settings/secrets.ts";
import type { LinkSecrets, SecretValues } from "../../links/oauth/vault.ts";
import type { Core } from "../core.ts";

/** `gone`: the error if a secret is not there, for example after a restore. */
export function linkSecrets(
  { secrets, redactor }: Core,
  folder: "mcp" | "oauth",
  gone: readonly [what: string, hint: string],
): LinkSecrets {
  const nameOf = (name: string) => `${folder}/${name}`;
  const learn = (values: SecretValues) => {
    for (const value of Object.values(values)) redactor.add(value);
    return values;
  };
  return {
    async put(name, values) {
      const { at, sha256 } = await secrets.put(nameOf(name), JSON.stringify(learn(values)));
      return `${at}:${sha256}`;
    },
    async read(name, text) {
      const mark = markFrom(text);
      const stored = mark === null ? null : await secrets.read(nameOf(name), mark);
      if (stored === null) throw new SysError("ECONFIG", gone[0], [gone[1]]);
      return learn(JSON.parse(stored) as SecretValues);
    },
    async remove(name, text) {
      const mark = markFrom(text);
      if (mark !== null) await secrets.remove(nameOf(name), mark);
    },
  };
}
