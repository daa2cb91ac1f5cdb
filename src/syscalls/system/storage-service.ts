// The services behind storage.* and proc.media.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { CallContext } from "../define.ts";

export interface FamilySize {
  readonly family: string;
  readonly objects: number;
  readonly bytes: number;
}

export interface StorageStatus {
  readonly driver: "disk" | "s3";
  /** The directory, or the address of the bucket. */
  readonly place: string;
  readonly objects: number;
  readonly bytes: number;
  readonly families: readonly FamilySize[];
}

export interface StorageFault {
  readonly path: string;
  readonly fault: "missing" | "damaged";
}

export interface VerifiedPage {
  readonly checked: number;
  readonly bytes: number;
  readonly faults: readonly StorageFault[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

export interface Collected {
  readonly what:
    | "bytes of no file"
    | "half-written"
    | "file without bytes"
    | "media of a process that is gone"
    | "left by a move";
  readonly name: string;
  readonly bytes: number;
}

export interface Collection {
  readonly dryRun: boolean;
  readonly count: number;
  readonly bytes: number;
  readonly collected: readonly Collected[];
}

export interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly driver: "disk" | "s3";
  readonly objects: number;
  readonly found: number;
  readonly bytes: number;
}

export interface Storage {
  /** The caller's own objects; for root, all. */
  status(caller: Caller): Promise<StorageStatus>;
  verify(caller: Caller, query: { readonly after?: string }, signal: AbortSignal): Promise<VerifiedPage>;
  gc(context: CallContext, request: { readonly dryRun: boolean; readonly left: boolean }): Promise<Collection>;
  migrate(context: CallContext, request: { readonly to: "disk" | "s3" }): Promise<Migrated>;
}

export interface MediaInfo {
  readonly id: string;
  readonly pid: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly path: string;
  readonly at: number;
}

export interface MediaPiece {
  readonly pid: string;
  readonly id?: string;
  readonly offset: number;
  /** In base64. */
  readonly data: string;
  readonly more: boolean;
}

export interface MediaTaken {
  readonly id: string;
  readonly received: number;
  /** Present once the upload is complete. */
  readonly media: MediaInfo | null;
}

export interface Media {
  put(context: CallContext, piece: MediaPiece): Promise<MediaTaken>;
  get(
    caller: Caller,
    query: { readonly pid: string; readonly id: string; readonly offset: number },
  ): Promise<{ readonly media: MediaInfo; readonly data: string; readonly next: number | null }>;
  list(
    caller: Caller,
    query: { readonly pid: string; readonly after?: string },
  ): Promise<{ readonly media: readonly MediaInfo[]; readonly next: string | null }>;
  remove(context: CallContext, request: { readonly pid: string; readonly id: string }): Promise<MediaInfo>;
}
