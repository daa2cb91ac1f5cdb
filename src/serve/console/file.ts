export interface ConsoleFile {
  /** `/` and `/voice` for the pages, `/a/NAME-HASH.EXTENSION` for the rest. */
  readonly path: string;
  readonly type: string;
  /** A hash of the content. */
  readonly tag: string;
  readonly brotli: Uint8Array<ArrayBuffer>;
}
