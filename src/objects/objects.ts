// The STORAGE plane: keys to bytes and metadata. A key is a path without the leading slash (`home/sam/a.txt`); a directory that has
// to exist on its own is a `.dir` marker object. Bytes are durable before the row that names them; a reader sees the old or the new, whole.

export interface ObjectMeta {
  readonly key: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  readonly mtimeMs: number;
  readonly dirmarker: boolean;
  readonly symlink: string | null;
}

export type NewObject = Omit<ObjectMeta, "size" | "sha256">;

/** The answer to a request that asked for a change, stored in the same transaction as the change: the one is never without the other. */
export interface Receipt {
  readonly uid: number;
  readonly requestId: string;
  readonly bodyHash: string;
  readonly answer: unknown;
  readonly now: number;
}

/** The rows behind the bytes; store/kernel/objects.ts keeps them. */
export interface ObjectRows {
  get(key: string): Promise<ObjectMeta | null>;
  /** Rows whose key starts with the prefix, in the order of their UTF-8 bytes, after a key. */
  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]>;
  put(meta: ObjectMeta): Promise<void>;
  /** Whether any object has these bytes. */
  holds(sha256: string): Promise<boolean>;
  /** An intent is stored before bytes are moved into place and removed with the row that follows. */
  intend(intent: ObjectIntent): Promise<void>;
  intents(): Promise<readonly ObjectIntent[]>;
  /** Ends the intent and, in the same transaction, stores what became true, its receipt included. */
  fulfil(intent: ObjectIntent, outcome: "done" | "undone"): Promise<void>;
}

export type ObjectIntent = { readonly id: string; readonly receipt?: Receipt } & (
  | { readonly kind: "put"; readonly meta: ObjectMeta; readonly temporary: string }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
);

export interface ObjectStore {
  head(key: string): Promise<ObjectMeta | null>;
  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]>;
  read(key: string, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array>;
  /** A receipt is kept where the objects outlive the kernel; where they do not, it is nobody's promise. */
  put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta>;
  /** Owner, mode, type and time only; what the bytes say of themselves stays. */
  setMeta(meta: ObjectMeta): Promise<void>;
  remove(key: string, receipt?: Receipt): Promise<void>;
  /** Moves an object, replacing one of that name, or everything beneath a directory to where nothing is yet. */
  rename(from: string, to: string, receipt?: Receipt): Promise<void>;
  /** After a crash: rolls every intent forward or back and sweeps temporaries. Returns how many intents it met. */
  recover(): Promise<number>;
}

export type Driver = "disk" | "s3";

/** Which bytes are meant: one driver finds them by key, another by checksum. */
export type Which = Pick<ObjectMeta, "key" | "sha256">;

/** Something that lies where bytes lie. */
export interface Lying {
  readonly name: string;
  readonly kind: "bytes" | "sidecar" | "temporary";
  /** Whose it would be: the object of this key, or every object with these bytes. */
  readonly key?: string;
  readonly sha256?: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** What a driver knows of its bytes apart from any row, for whoever looks after them: doctor, backup, a move to another driver. */
export interface Bytes {
  readonly driver: Driver;
  /** As a person finds it. */
  readonly place: string;
  /** Throws what keeps it from working, and what to do about it. */
  probe(): Promise<void>;
  /** Says for good whose bytes lie here; throws when they are another home's. */
  claim(home: string): Promise<void>;
  read(which: Which, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array>;
  has(which: Which): Promise<boolean>;
  /** Of all of them, read to the end a piece at a time; null when there are none. */
  sha256(which: Which): Promise<string | null>;
  listed(): AsyncIterable<Lying>;
  /** Whether it still lies there as it was listed. */
  lies(lying: Lying): Promise<boolean>;
  /** Whoever it belongs to: who may go is asked before. */
  discard(lying: Lying): Promise<void>;
  /** Puts bytes where this driver looks for them, and what is known of them beside them, in the place of what is there. */
  adopt(meta: ObjectMeta, bytes: AsyncIterable<Uint8Array> | null): Promise<void>;
}

/** A driver whose bytes outlive the kernel. */
export interface StoredObjects extends ObjectStore {
  readonly bytes: Bytes;
  /** Takes away what no row and no change under way knows, if it is as old as that; whether it did. */
  discard(lying: Lying, beforeMs: number): Promise<boolean>;
}
