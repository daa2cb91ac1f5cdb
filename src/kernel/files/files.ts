// The agents' file tools: results that fit one answer, and errors that name what failed, the file and the next step. Writes are atomic, an
// edit only applies to the version that was read, and neither overwrites a change that the process has not seen.

import { FileError } from "../../../fs/error.ts";
import type { ReadResult } from "../../../fs/filesystem.ts";
import type { Namespace } from "../../../fs/namespace.ts";
import { normalise, parent } from "../../../fs/path.ts";
import { applyEdit } from "../../../fs/read/edit.ts";
import { notText, viewDirectory, viewText } from "../../../fs/read/read.ts";
import { type SearchResult, searchTree } from "../../../fs/read/search.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { ERRNO_TEXT, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { isSeen } from "../../abi/process/message.ts";
import { isBinary, mediaType } from "../../lib/media-type.ts";
import { sizeText } from "../../lib/text/size.ts";
import type { Receipt } from "../../objects/objects.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { EditRequest, Files, FileView } from "../../syscalls/fs/files-service.ts";
import type { ReceiptContext } from "../dispatch.ts";
import { type HomeOf, pathsFor } from "./file-paths.ts";
import type { CurrentFile, KnownFiles } from "./known-files.ts";

const EDIT_ATTEMPTS = 3;
/** Reads again if the file changes while it is read. */
const READ_ATTEMPTS = 5;
const PIECE_BYTES = 4 * 1024 * 1024;

export interface FilesOptions {
  readonly namespace: Namespace;
  readonly homeOf: HomeOf;
  /** What processes have seen of these files; only in a kernel. */
  readonly known?: KnownFiles;
}

/** For a target with its own paths and, optionally, its own search. */
export interface PlaceOptions {
  readonly namespace: Namespace;
  readonly absolute: (caller: Caller, path: string) => Promise<string>;
  readonly known?: KnownFiles;
  /** Null: this request needs the general search. */
  readonly search?: (request: {
    readonly caller: Caller;
    readonly root: string;
    readonly query: string;
    readonly include?: string;
    readonly signal: AbortSignal;
  }) => Promise<SearchResult | null>;
}

export function filesService({ namespace, homeOf, known }: FilesOptions): Files {
  return filesIn({ namespace, absolute: pathsFor(homeOf), ...(known && { known }) });
}

export function filesIn({ namespace, absolute, search, known }: PlaceOptions): Files {
  const edited = async (caller: Caller, request: EditRequest, place: string) => {
    const { text, version } = await wholeText(namespace, caller, place);
    const changedAt = async () => (await namespace.stat(caller, place)).mtimeMs;
    const standing = { version, text: async () => text, changedAt };
    await known?.needCurrent(caller, place, { verb: "edit", standing });
    return { ...applyEdit(text, request, place), version };
  };
  /** Other paths of the file, which lead to it through links. */
  const linksTo = async (caller: Caller, path: string, place: string): Promise<readonly string[]> => {
    const typed = normalise(path);
    if (known === undefined || typed === place) return [];
    return [...new Set([typed, await namespace.locate(caller, path, "keep")])].filter((each) => each !== place);
  };
  const needNoLink = async (caller: Caller, path: string, how: { verb: "write" | "edit"; place: string }) =>
    await known?.needNoLink(caller, await linksTo(caller, path, how.place), how);

  return {
    async read(caller, request) {
      const path = await absolute(caller, request.path);
      return await saying("read", async () => {
        const place = await namespace.resolve(caller, path);
        const stat = await namespace.stat(caller, path);
        if (stat.kind === "directory") {
          return { kind: "directory", path: place, ...viewDirectory(await namespace.list(caller, path)) };
        }
        if (stat.size > LIMITS.fileBytesMax) throw new FileError("EFBIG", place);
        const image = request.images === true ? await imageAt(namespace, caller, { path, place }) : null;
        if (image !== null) return image;
        const read = new ReadWhole((range) => namespace.read(caller, path, range));
        const view = await viewText((range) => read.piece(range), { ...stat, path: place }, request);
        await known?.saw(caller, place, { version: view.version, how: "read", text: read.text() });
        await known?.forget(caller, await linksTo(caller, path, place));
        return { kind: "file", path: place, ...view };
      });
    },

    async write({ caller, receipt }: ReceiptContext, request) {
      const path = await absolute(caller, request.path);
      return await saying("write", async () => {
        const bytes = Buffer.from(request.content);
        const place = await namespace.destination(caller, path);
        await needNoLink(caller, path, { verb: "write", place: place.path });
        const answer = { path: await namespace.shown(caller, place.path), size: bytes.byteLength };
        for (let attempt = 1; ; attempt++) {
          const look = () => currentFileAt(namespace, caller, place.path);
          const ifVersion = await known?.expected(caller, place.path, look);
          const options = { at: "start", ...(ifVersion && { ifVersion }), ...withReceipt(receipt, answer) } as const;
          try {
            const { version } = await withDirectories(namespace, caller, place.missing, () =>
              namespace.write(caller, place.path, bytes, options),
            );
            await known?.saw(caller, place.path, { version, how: "wrote", text: request.content });
            return answer;
          } catch (error) {
            // The file was written in between: check the new content.
            if (attempt === EDIT_ATTEMPTS || !isConflict(error)) throw error;
          }
        }
      });
    },

    async edit({ caller, receipt }: ReceiptContext, request) {
      const path = await absolute(caller, request.path);
      return await saying("edit", async () => {
        const place = await namespace.resolve(caller, path);
        await needNoLink(caller, path, { verb: "edit", place });
        for (let attempt = 1; ; attempt++) {
          const { text, version, replacements, line } = await edited(caller, request, place);
          const answer = { path: await namespace.shown(caller, place), replacements, line };
          const options = { at: "start", ifVersion: version, ...withReceipt(receipt, answer) } as const;
          try {
            const written = await namespace.write(caller, place, Buffer.from(text), options);
            await known?.saw(caller, place, { version: written.version, how: "wrote", text });
            return answer;
          } catch (error) {
            // The file was written in between: edit the new content.
            if (attempt === EDIT_ATTEMPTS || !isConflict(error)) throw error;
          }
        }
      });
    },

    async remove({ caller, receipt }: ReceiptContext, request) {
      const path = await absolute(caller, request.path);
      return await saying("delete", async () => {
        const answer = { path: normalise(path) };
        await namespace.remove(caller, path, { recursive: false, ...withReceipt(receipt, answer) });
        return answer;
      });
    },

    async search(caller, request, signal) {
      const path = await absolute(caller, request.path ?? ".");
      return await saying("search", async () => {
        const root = await namespace.resolve(caller, path);
        const own = await search?.({ ...request, caller, root, signal });
        const { matches, truncated } = own ?? (await searchTree({ ...request, namespace, caller, root, signal }));
        const shown = await namespace.shown(caller, root);
        const named = matches.map((match) => ({ ...match, path: shown + match.path.slice(root.length) }));
        return { matches: shown === root ? matches : named, count: matches.length, truncated };
      });
    },

    async needEditable(caller, request) {
      const path = await absolute(caller, request.path);
      await saying("edit", async () => {
        const place = await namespace.resolve(caller, path);
        await needNoLink(caller, path, { verb: "edit", place });
        await edited(caller, request, place);
        await namespace.needWritable(caller, place);
      });
    },

    async needWritable(caller, request) {
      const path = await absolute(caller, request.path);
      await saying("write", async () => {
        const place = await namespace.needWritable(caller, path);
        await needNoLink(caller, path, { verb: "write", place });
        await known?.expected(caller, place, () => currentFileAt(namespace, caller, place));
      });
    },

    async needRemovable(caller, request) {
      const path = await absolute(caller, request.path);
      await saying("delete", () => namespace.needRemovable(caller, path));
    },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof FileError && error.code === "ECONFLICT";
}

/** Null if nothing readable is there. */
async function currentFileAt(namespace: Namespace, caller: Caller, path: string): Promise<CurrentFile | null> {
  try {
    // The version of generated files comes with their content.
    const { version } = await namespace.read(caller, path, { offset: 0, bytesMax: 1 });
    return {
      version,
      text: () =>
        wholeText(namespace, caller, path).then(
          ({ text }) => text,
          () => null,
        ),
      changedAt: async () => (await namespace.stat(caller, path)).mtimeMs,
    };
  } catch (error) {
    if (error instanceof StoreUnavailable || !(error instanceof FileError)) throw error;
    return null;
  }
}

/** Null if it is not an image, by its first bytes. */
async function imageAt(
  namespace: Namespace,
  caller: Caller,
  { path, place }: { readonly path: string; readonly place: string },
): Promise<FileView | null> {
  const { type } = mediaType((await namespace.read(caller, path, { offset: 0, bytesMax: 64 })).bytes);
  if (!isSeen(type)) return null;
  const { bytes, eof } = await namespace.read(caller, path, { offset: 0, bytesMax: LIMITS.imageBytesMax });
  if (!eof)
    throw new SysError("EFBIG", `${place} is too large: images may have ${sizeText(LIMITS.imageBytesMax)}`, [
      "make a smaller copy and read that",
    ]);
  return { kind: "image", path: place, type, size: bytes.byteLength, data: Buffer.from(bytes).toString("base64") };
}

/** The exact text, including a byte order mark. */
async function wholeText(
  namespace: Namespace,
  caller: Caller,
  path: string,
): Promise<{ text: string; version: string }> {
  const stat = await namespace.stat(caller, path);
  for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
    const pieces: Uint8Array[] = [];
    const versions = new Set<string>();
    for (let offset = 0, eof = false; !eof; ) {
      const piece = await namespace.read(caller, path, { offset, bytesMax: PIECE_BYTES });
      pieces.push(piece.bytes);
      versions.add(piece.version);
      offset += piece.bytes.byteLength;
      eof = piece.eof;
      // Checked while reading, because a host file may grow after its stat.
      if (offset > LIMITS.fileBytesMax) throw new FileError("EFBIG", path);
    }
    const [version] = versions;
    if (versions.size !== 1 || version === undefined) continue;
    const bytes = Buffer.concat(pieces);
    const file = { ...stat, path, size: bytes.byteLength };
    if (isBinary(bytes)) throw notText(file);
    try {
      return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), version };
    } catch {
      throw notText(file);
    }
  }
  throw new FileError("ECONFLICT", path);
}

export function withReceipt(receipt: ReceiptContext["receipt"], answer: object): { readonly receipt?: Receipt } {
  return receipt === undefined ? {} : { receipt: receipt(answer) };
}

/** Creates directories for the work; if it fails, removes those that are still empty. */
async function withDirectories<T>(
  namespace: Namespace,
  caller: Caller,
  missing: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const made: string[] = [];
  try {
    for (const directory of missing) {
      await namespace.mkdirAt(caller, directory);
      made.unshift(directory);
    }
    return await work();
  } catch (error) {
    for (const directory of made)
      await namespace.remove(caller, directory, { recursive: false }).catch(() => undefined);
    throw error;
  }
}

/** Turns a file error into a message about the attempt, with the next step. `typed`: the path to show instead of the failing one. */
export async function saying<T>(verb: string, work: () => Promise<T>, typed?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SysError(error.code, `cannot ${verb} ${typed ?? error.path}: ${error.phrase}`, hintsFor(error));
  }
}

function hintsFor(error: FileError): readonly string[] {
  switch (error.code) {
    case "ENOENT":
      return [`read ${parent(error.path)} to see what is there`];
    case "EISDIR":
      return ["name a file inside it"];
    case "ENOTEMPTY":
      return ["delete what is in it first"];
    case "EFBIG":
      if (error.phrase !== ERRNO_TEXT.EFBIG) return [];
      return ["search it, or split it into several files"];
    case "ECONFLICT":
      return ["read it again, then repeat the edit"];
    default:
      return [];
  }
}

interface Range {
  readonly offset: number;
  readonly bytesMax: number;
}

class ReadWhole {
  private pieces: Uint8Array[] = [];
  private bytes = 0;
  private isWhole = false;

  constructor(private readonly read: (range: Range) => Promise<ReadResult>) {}

  async piece(range: Range): Promise<ReadResult> {
    // Starts over: the file was written in between.
    if (range.offset === 0) [this.pieces, this.bytes] = [[], 0];
    const result = await this.read(range);
    this.bytes += result.bytes.byteLength;
    if (this.bytes <= LIMITS.knownTextBytesMax) this.pieces.push(result.bytes);
    this.isWhole = result.eof;
    return result;
  }

  /** Null if it is too long to remember. */
  text(): string | null {
    if (!this.isWhole || this.bytes > LIMITS.knownTextBytesMax) return null;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(this.pieces));
  }
}
