// The sign-in of an MCP server over HTTP: its token for each request, and what a person has to do when the server refuses it. A token goes
// to the server that it was made for, whatever it is called now.

import { SysError } from "../../abi/errno.ts";
import { DEFAULT_ACCOUNT } from "../../abi/links/oauth.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { OAuthAccountRow, OAuthRows } from "../../store/kernel/links/oauth.ts";
import type { Challenge } from "./discovery.ts";
import type { AccountTokens } from "./tokens.ts";

export interface ServerLoginPorts {
  readonly rows: Pick<OAuthRows, "accounts" | "wanted">;
  readonly tokens: AccountTokens;
}

export class ServerLogin {
  /** The last refusal, for the next sign-in. */
  challenge: Challenge | null = null;
  private refusal: SysError | null = null;

  constructor(
    private readonly ports: ServerLoginPorts,
    private readonly server: { readonly uid: number; readonly name: string; readonly url: string },
  ) {}

  /** null without an account, or if its token is not accepted any more. */
  async token(rejected: string | null): Promise<string | null> {
    const account = await this.account();
    return account === null ? null : await this.ports.tokens.current(account.id, rejected);
  }

  async refused(challenge: Challenge): Promise<void> {
    this.challenge = challenge;
    const { name } = this.server;
    const hint = `to sign in: gsv mcp login ${name}`;
    if (challenge.kind === "login") {
      this.refusal = new SysError("EAUTH", `${name} needs you to sign in`, [hint]);
      return;
    }
    const account = await this.account();
    const granted = new Set((account?.scope ?? "").split(/\s+/));
    const asked = (challenge.scope ?? "").split(/\s+/).filter((word) => word !== "");
    const more = asked.filter((word) => !granted.has(word));
    const words = clip(reveal(asked.join(" ")));
    // A server that refuses what it has granted would ask a person again and again.
    if (more.length === 0)
      this.refusal = new SysError("EPERM", `${name} refuses what it granted: ${words || "no scope"}`);
    else {
      this.refusal = new SysError("EPERM", `${name} needs more rights: ${words}`, [hint]);
      if (account !== null) await this.ports.rows.wanted(account.id, asked.join(" "));
    }
  }

  /** The refusal since the last time; null if there was none. */
  takeRefusal(): SysError | null {
    const { refusal } = this;
    this.refusal = null;
    return refusal;
  }

  private async account(): Promise<OAuthAccountRow | null> {
    const { uid, name, url } = this.server;
    const accounts = await this.ports.rows.accounts(uid);
    const own = accounts.find(
      (row) =>
        row.kind === "mcp-server" &&
        row.provider === name &&
        row.accountKey === DEFAULT_ACCOUNT &&
        row.about.server === url,
    );
    // A person may also sign in to this address under another name.
    return own ?? accounts.find((row) => row.kind === "generic" && row.resource === url) ?? null;
  }
}
