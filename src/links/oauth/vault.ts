// Secrets of accounts and flows. New tokens are written beside the old ones, and the row then points at them: a kernel that dies between the
// two leaves the old tokens in use, and never half of the new ones.

import { SysError } from "../../abi/errno.ts";

/** The secret store, below a folder of its own. */
export interface LinkSecrets {
  /** Returns where it is. */
  put(name: string, values: SecretValues): Promise<string>;
  read(name: string, mark: string): Promise<SecretValues>;
  remove(name: string, mark: string): Promise<void>;
}

export type SecretValues = { readonly [name: string]: string };

/** Tokens of an account, or what a flow needs until it ends. */
export interface OAuthSecret {
  readonly access?: string;
  readonly refresh?: string;
  readonly clientSecret?: string;
  readonly verifier?: string;
  readonly deviceCode?: string;
}

const SLOTS = ["a", "b"] as const;
/** Removes a secret wherever it is: what a dead kernel wrote has no mark. */
const ANYWHERE = ["file:0000", "keychain:0000"];

export class Vault {
  constructor(private readonly secrets: LinkSecrets) {}

  /** `before`: the place of the current secret, which stays until `remove`. */
  async put(id: string, before: string | null, secret: OAuthSecret): Promise<string> {
    const slot = before?.startsWith("a:") ? "b" : "a";
    const values = Object.fromEntries(Object.entries(secret).filter(([, value]) => value !== undefined));
    return `${slot}:${await this.secrets.put(`${id}/${slot}`, values)}`;
  }

  async read(id: string, place: string): Promise<OAuthSecret> {
    const [slot, mark] = partsOf(place);
    return await this.secrets.read(`${id}/${slot}`, mark);
  }

  async remove(id: string, place: string): Promise<void> {
    const [slot, mark] = partsOf(place);
    await this.secrets.remove(`${id}/${slot}`, mark);
  }

  /** Also what a kernel wrote and did not live to point at. */
  async removeAll(id: string): Promise<void> {
    for (const slot of SLOTS)
      for (const mark of ANYWHERE) await this.secrets.remove(`${id}/${slot}`, mark).catch(() => {});
  }
}

function partsOf(place: string): readonly [slot: string, mark: string] {
  const [slot = "", ...mark] = place.split(":");
  if (slot !== "a" && slot !== "b") throw new SysError("ECONFIG", "the place of a token is not readable");
  return [slot, mark.join(":")];
}
