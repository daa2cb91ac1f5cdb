// A place files are copied from or to: gsv, or the machine it runs on. Both are asked the same questions, so that one way of copying
// serves every direction. Of links only those are followed that were named; what lies below is taken as it is.

export interface Thing {
  /** `other` is what holds no bytes of its own: a device, a pipe, a socket. */
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly mode: number;
  readonly mtimeMs: number;
  readonly size: number;
  /** Without links: two things with the same one are the same thing. */
  readonly real: string;
  /** Where a link points. */
  readonly target?: string;
}

export interface WriteHow {
  /** Of a file that is new, where the place is not to decide; one that is there keeps its own. */
  readonly mode?: number;
  readonly exclusive?: boolean;
  /** The path was found, not named: should a link have come there, it is replaced and not written through. */
  readonly found?: boolean;
}

export interface Side {
  /** Null when there is nothing. */
  look(path: string, how: { readonly follow: boolean }): Promise<Thing | null>;
  /** Sorted. */
  names(path: string): Promise<readonly string[]>;
  /** Pieces of one content: if it changes on the way, that is an error. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** All of it or nothing: until the end the old content stands. */
  write(path: string, pieces: AsyncIterable<Uint8Array>, how: WriteHow): Promise<void>;
  mkdir(path: string, mode: number): Promise<void>;
  /** Null where links are not made. */
  readonly link: ((path: string, target: string) => Promise<void>) | null;
  attributes(path: string, change: { readonly mode?: number; readonly mtimeMs?: number }): Promise<void>;
  /** One file. */
  remove(path: string): Promise<void>;
  /** The path of something in a directory. */
  within(directory: string, name: string): string;
  /** What a copy of it is called. */
  nameOf(path: string): Promise<string>;
}
