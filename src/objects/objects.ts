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
