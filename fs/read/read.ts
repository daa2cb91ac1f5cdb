// Views of a file: lines from an offset, limited to one answer; one error line for anything but text. Reads in chunks, in constant memory.

import { SysError } from "../../src/abi/errno.ts";
import { normaliseText } from "../../src/abi/process/message.ts";
import { isBinary } from "../../src/lib/media-type.ts";
import type { Entry, ReadResult } from "../filesystem.ts";

const LINES_DEFAULT = 2000;
const VIEW_BYTES_MAX = 256 * 1024;
const LINE_CHARS_MAX = 16 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Limit of a directory listing. */
const NAMES_BYTES_MAX = 512 * 1024;

export interface TextView {
  readonly content: string;
  /** From 1. */
  readonly firstLine: number;
  /** Lines of the whole file. */
  readonly lines: number;
  readonly size: number;
  readonly version: string;
  /** Something was left out. */
  readonly truncated: boolean;
}

export interface Window {
  /** From 0. */
  readonly offset?: number;
  readonly limit?: number;
}

type ReadPiece = (range: { readonly offset: number; readonly bytesMax: number }) => Promise<ReadResult>;

/** `path` and `contentType` are for error texts. */
export async function viewText(
  read: ReadPiece,
  file: { readonly path: string; readonly contentType?: string; readonly size: number },
  window: Window,
): Promise<TextView> {
  const view = new LinesView(window.offset ?? 0, window.limit ?? LINES_DEFAULT);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let first: string | null = null;
  for (let offset = 0; ; ) {
    const { bytes, eof, version } = await read({ offset, bytesMax: PIECE_BYTES });
    first ??= version;
    // Changed meanwhile: start over, a view has one version.
    if (version !== first) return viewText(read, file, window);
    if (offset === 0 && isBinary(bytes)) throw notText(file);
    offset += bytes.byteLength;
    const text = decode(decoder, bytes, eof);
    if (text === null) throw notText(file);
    view.push(text);
    if (!eof) continue;
    view.end();
    if (view.lines <= view.offset && view.offset > 0) {
      throw new SysError("EINVAL", `${file.path} has ${view.lines} lines: there is no line at offset ${view.offset}`, [
        "offset counts lines from 0",
      ]);
    }
    return {
      content: view.content(),
      firstLine: view.offset + 1,
      lines: view.lines,
      size: offset,
      version,
      truncated: view.truncated,
    };
  }
}

export function notText(file: {
  readonly path: string;
  readonly contentType?: string;
  readonly size: number;
}): SysError {
  const type =
    file.contentType === undefined || file.contentType.startsWith("text/") ? "binary data" : file.contentType;
  return new SysError("EINVAL", `${file.path} is not text: ${type}, ${sizeText(file.size)}`, [
    "only UTF-8 text can be shown or edited",
  ]);
}

export function viewDirectory(entries: readonly Entry[]): {
  readonly directories: string[];
  readonly files: string[];
  readonly truncated?: true;
} {
  const directories: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  for (const { name: raw, stat } of entries) {
    const name = normaliseText(raw);
    bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > NAMES_BYTES_MAX) return { directories, files, truncated: true };
    (stat.kind === "directory" ? directories : files).push(name);
  }
  return { directories, files };
}

class LinesView {
  lines = 0;
  truncated = false;
  private readonly shown: string[] = [];
  private bytes = 0;
  /** The current line, as far as it will be shown. */
  private line = "";
  private lineChars = 0;

  constructor(
    readonly offset: number,
    private readonly limit: number,
  ) {}

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.extend(text, from, end);
      this.finishLine();
      from = end + 1;
    }
    this.extend(text, from, text.length);
  }

  end(): void {
    if (this.lineChars > 0) this.finishLine();
  }

  content(): string {
    return this.shown.join("\n");
  }

  private extend(text: string, from: number, to: number): void {
    const room = LINE_CHARS_MAX - this.line.length;
    if (room > 0 && this.isShown()) this.line += text.slice(from, Math.min(to, from + room));
    this.lineChars += to - from;
  }

  private isShown(): boolean {
    return this.lines >= this.offset && this.lines < this.offset + this.limit && this.bytes < VIEW_BYTES_MAX;
  }

  private finishLine(): void {
    if (!this.isShown()) {
      if (this.lines >= this.offset) this.truncated = true;
    } else {
      const cut = this.lineChars - this.line.length;
      if (cut > 0) this.truncated = true;
      const rest = cut > 0 ? `… (${cut} more characters in this line)` : "";
      const line = `${normaliseText(this.line)}${rest}`;
      this.bytes += Buffer.byteLength(line) + 1;
      this.shown.push(line);
    }
    this.lines++;
    this.line = "";
    this.lineChars = 0;
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array, last: boolean): string | null {
  try {
    return decoder.decode(bytes, { stream: !last });
  } catch {
    return null;
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
