// One side of a copy: the files of gsv or of this computer, behind one interface. Only links that the user names are followed.

export interface Thing {
  /** `other` is a device, a pipe or a socket. */
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly mode: number;
  readonly mtimeMs: number;
  readonly size: number;
  /** The path without links: equal for the same file. */
  readonly real: string;
  readonly target?: string;
}

export interface WriteHow {
  /** Mode of a new file (default: the side decides). Existing files keep theirs. */
  readonly mode?: number;
  readonly exclusive?: boolean;
  /** The path was found, not named: a link there is replaced, not followed. */
  readonly found?: boolean;
}

export interface Side {
  /** Largest file it takes; null if only its disk decides. */
  readonly fileBytesMax: number | null;
  /** null if there is nothing. */
  look(path: string, how: { readonly follow: boolean }): Promise<Thing | null>;
  names(path: string): Promise<readonly string[]>;
  /** Fails if the content changes meanwhile. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** Writes completely or not at all. Until the end, the old content stays. */
  write(path: string, pieces: AsyncIterable<Uint8Array>, how: WriteHow): Promise<void>;
  mkdir(path: string, mode: number): Promise<void>;
  /** null if the side cannot create links. */
  readonly link: ((path: string, target: string) => Promise<void>) | null;
  attributes(path: string, change: { readonly mode?: number; readonly mtimeMs?: number }): Promise<void>;
  /** Removes one file. */
  remove(path: string): Promise<void>;
  within(directory: string, name: string): string;
  /** The name of a copy. */
  nameOf(path: string): Promise<string>;
}
