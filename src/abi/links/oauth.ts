// Sign-ins at other services: an account keeps tokens that gsv renews, a flow is a sign-in that a person has begun.

export const OAUTH_KINDS = ["ai-provider", "mcp-server", "generic"] as const;
export type OAuthKind = (typeof OAUTH_KINDS)[number];

/** An account as its owner sees it. It never has a token. */
export interface OAuthAccount {
  readonly kind: OAuthKind;
  /** Of an MCP server, its name. */
  readonly provider: string;
  /** Tells several accounts at one provider apart. */
  readonly accountKey: string;
  readonly label: string | null;
  /** `login`: its tokens are not accepted any more. */
  readonly state: "ready" | "login";
  /** The server that gave the tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string | null;
  /** The address that its tokens are for. */
  readonly resource: string | null;
  readonly expiresAt: number | null;
  /** gsv renews the token before it expires. */
  readonly isRenewed: boolean;
  /** A port that its sign-in always uses. */
  readonly callbackPort: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastUsedAt: number | null;
}

/** What a person has to do to sign in, and what to look at before. */
export interface OAuthStarted {
  readonly flow: string;
  readonly kind: OAuthKind;
  readonly provider: string;
  /** null without an MCP server. */
  readonly server: string | null;
  /** Where the person signs in. */
  readonly signInHost: string;
  /** Where gsv gets the tokens. */
  readonly tokenHost: string;
  readonly scope: string | null;
  /** For the browser. null with a device code. */
  readonly url: string | null;
  readonly device: OAuthDevice | null;
  readonly expiresAt: number;
}

/** For a browser on any computer. */
export interface OAuthDevice {
  readonly userCode: string;
  readonly url: string;
  /** The same with the code in it. */
  readonly fullUrl: string | null;
}

/** The account of a provider that no name was given for. */
export const DEFAULT_ACCOUNT = "default";
