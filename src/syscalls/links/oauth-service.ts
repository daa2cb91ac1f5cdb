// The service behind sys.oauth.*: sign-ins of an account at other services.

import type { OAuthAccount, OAuthKind, OAuthStarted } from "../../abi/links/oauth.ts";
import type { CallContext } from "../define.ts";

export interface OAuthAsked {
  readonly name: string;
  readonly kind: OAuthKind;
  readonly account?: string;
  readonly label?: string;
  readonly issuer?: string;
  readonly authorize?: string;
  readonly token?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  readonly resource?: string;
  readonly param?: readonly string[];
  readonly redirectUri?: string;
  readonly port?: number;
}

export interface OAuthForgotten {
  readonly provider: string;
  readonly kind: OAuthKind;
  /** The server confirmed that the token is worth nothing now. */
  readonly revoked: boolean;
}

export interface OAuthService {
  start(context: CallContext, asked: OAuthAsked): Promise<OAuthStarted>;
  finish(context: CallContext, asked: { readonly flow: string; readonly callback?: string }): Promise<OAuthAccount>;
  list(context: CallContext): Promise<{ readonly accounts: readonly OAuthAccount[] }>;
  forget(
    context: CallContext,
    asked: { readonly name: string; readonly kind?: OAuthKind; readonly account?: string },
  ): Promise<OAuthForgotten>;
}
