// Kernels on other computers, as this computer knows them.

import type { Sys } from "./sys.ts";

export interface RemoteAddress {
  /** An origin: `https://gsv.example:4870`. */
  readonly url: string;
  /** PEM of the only accepted certificate; null: the usual authorities decide. */
  readonly certificate: string | null;
}

/** A kernel to connect to. */
export interface RemoteServer extends RemoteAddress {
  readonly name: string;
  readonly token: string;
}

/** Made by `gsv login URL`. */
export interface SavedRemote extends RemoteServer {
  readonly account: string;
  /** null for a token that was not created by the login: it is not revoked either. */
  readonly tokenId: string | null;
  readonly expiresAt: number | null;
}

export interface SavedRemotes {
  list(): readonly SavedRemote[];
  /** The one used without --remote. */
  used(): string | null;
  /** Replaces the one of this name. */
  save(remote: SavedRemote): void;
  remove(name: string): void;
  /** null: the home of this computer. */
  select(name: string | null): void;
}

export interface RemoteCertificate {
  readonly pem: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly fingerprint: string;
}

export type RemoteSecret =
  | { readonly kind: "password"; readonly user: string; readonly password: string }
  | { readonly kind: "code"; readonly code: string };

export interface RemoteLogin {
  readonly token: string;
  readonly id: string;
  readonly expiresAt: number | null;
}

/** The way to a kernel that is not saved yet. */
export interface RemoteEntry {
  /** The address as it is typed, checked and complete. */
  urlOf(text: string): string;
  /** The certificate, if no authority vouches for it; null otherwise. Sends no secret. */
  strangeCertificate(url: string): Promise<RemoteCertificate | null>;
  /** Fails unless a gsv of a version that fits answers there. */
  check(at: RemoteAddress): Promise<void>;
  signIn(at: RemoteAddress, secret: RemoteSecret): Promise<RemoteLogin>;
  /** Ends the login of this token, if it has not ended yet. */
  signOut(server: RemoteServer): Promise<void>;
  open(server: RemoteServer): Sys;
}

/** The connection to a remote kernel: lost means that it is being retried. */
export type LineState = "lost" | "back";

export function lineText(name: string | null, state: LineState): string {
  return state === "lost" ? `connection to ${name} lost, retrying` : `connected to ${name} again`;
}

/** `--remote local` and `gsv remote use local`: the home of this computer. */
export const LOCAL = "local";
