// The object store: keys to bytes and metadata. A key is a path without leading slash (`home/sam/a.txt`); a directory of its own is a
// `.dir` marker object. Bytes are durable before the row that names them; a reader sees the old or the new version, whole.

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

/** The answer to a request, stored in the same transaction as the change it asked for. */
export interface Receipt {
  readonly uid: number;
  readonly requestId: string;
  readonly bodyHash: string;
  readonly answer: unknown;
  readonly now: number;
}

/** Implemented by store/kernel/objects.ts. */
export interface ObjectRows {
  get(key: string): Promise<ObjectMeta | null>;
  /** Those of the keys that are stored, in one query. */
  some(keys: readonly string[]): Promise<readonly ObjectMeta[]>;
  /** Rows by key prefix, in UTF-8 byte order, after a key. */
  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]>;
  put(meta: ObjectMeta): Promise<void>;
  /** True if any object has this content. */
  holds(sha256: string): Promise<boolean>;
  /** Stored before bytes are moved, all or none; each is removed with the row that follows. */
  intend(...intents: ObjectIntent[]): Promise<void>;
  intents(): Promise<readonly ObjectIntent[]>;
  /** Ends the intent; "done" stores its result and its receipt in the same transaction. */
  fulfil(intent: ObjectIntent, outcome: "done" | "undone"): Promise<void>;
}

export type ObjectIntent = { readonly id: string; readonly receipt?: Receipt } & (
  | { readonly kind: "put"; readonly meta: ObjectMeta; readonly temporary: string }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
);

export interface ObjectStore {
  head(key: string): Promise<ObjectMeta | null>;
  /** Those of the keys that are stored. */
  heads(keys: readonly string[]): Promise<readonly ObjectMeta[]>;
  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]>;
  read(key: string, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array>;
  /** Receipts are stored only if the objects outlive the kernel. */
  put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta>;
  /** Stores objects without content, such as directories. They wait for the disk together. A crash may leave some of them. */
  putEmpty(objects: readonly NewObject[]): Promise<void>;
  /** Adds to the end of a stored object. Missing if a change replaces all bytes. */
  append?(object: NewObject, bytes: Uint8Array): Promise<ObjectMeta>;
  /** Owner, mode, type and time only. */
  setMeta(meta: ObjectMeta): Promise<void>;
  remove(key: string, receipt?: Receipt): Promise<void>;
  /** Moves an object, replacing another, or a directory to a free name. */
  rename(from: string, to: string, receipt?: Receipt): Promise<void>;
  /** After a crash: settles every intent and deletes partial files. Returns the number of intents. */
  recover(): Promise<number>;
}

export type Driver = "disk" | "s3";

/** Identifies bytes: by key for one driver, by checksum for the other. */
export type ContentRef = Pick<ObjectMeta, "key" | "sha256">;

/** A file found in the driver's storage. */
export interface StoredItem {
  readonly name: string;
  readonly kind: "bytes" | "sidecar" | "temporary";
  /** Its owner: the object with this key, or every object with this checksum. */
  readonly key?: string;
  readonly sha256?: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** A driver's bytes without rows, for doctor, backup and moves between drivers. */
export interface Bytes {
  readonly driver: Driver;
  /** For display. */
  readonly place: string;
  /** Throws an error with a hint if the storage does not work. */
  probe(): Promise<void>;
  /** Records the owning home permanently; throws if another home owns the storage. */
  claim(home: string): Promise<void>;
  read(ref: ContentRef, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array>;
  has(ref: ContentRef): Promise<boolean>;
  /** Checksum of the stored content, read in chunks; null if there is none. */
  sha256(ref: ContentRef): Promise<string | null>;
  list(): AsyncIterable<StoredItem>;
  /** The metadata beside the bytes, if this driver stores any; null if unreadable. */
  recorded(): AsyncIterable<{ readonly name: string; readonly meta: ObjectMeta | null }>;
  /** True if the file is still as listed. */
  isUnchanged(item: StoredItem): Promise<boolean>;
  /** Deletes without checking who needs it. */
  discard(item: StoredItem): Promise<void>;
  /** Stores bytes and metadata where this driver expects them, replacing what is there. */
  adopt(meta: ObjectMeta, bytes: AsyncIterable<Uint8Array> | null): Promise<void>;
}

/** A driver whose bytes outlive the kernel. */
export interface StoredObjects extends ObjectStore {
  readonly bytes: Bytes;
  /** Deletes bytes that no row and no change uses, if they are old enough. Returns whether it did. */
  discard(item: StoredItem, beforeMs: number): Promise<boolean>;
}
