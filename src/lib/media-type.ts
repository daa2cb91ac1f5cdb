// Detects the media type of content by its first bytes only, whatever its name or sender says. Unknown content is plain text or bytes. SVG
// counts as text, because it can contain scripts.

export interface MediaType {
  readonly type: string;
  readonly extension: string;
}

const BYTES: MediaType = { type: "application/octet-stream", extension: "bin" };
const TEXT: MediaType = { type: "text/plain", extension: "txt" };

/** The offset of a magic number, the number in Latin-1, and its type. */
const MARKS: readonly (readonly [at: number, mark: string, type: string, extension: string])[] = [
  [0, "\x89PNG\r\n\x1a\n", "image/png", "png"],
  [0, "\xff\xd8\xff", "image/jpeg", "jpg"],
  [0, "GIF87a", "image/gif", "gif"],
  [0, "GIF89a", "image/gif", "gif"],
  [8, "WEBP", "image/webp", "webp"],
  [8, "WAVE", "audio/wav", "wav"],
  [0, "ID3", "audio/mpeg", "mp3"],
  [0, "\xff\xfb", "audio/mpeg", "mp3"],
  [0, "OggS", "audio/ogg", "ogg"],
  [0, "fLaC", "audio/flac", "flac"],
  [4, "ftypM4A", "audio/mp4", "m4a"],
  [4, "ftyp", "video/mp4", "mp4"],
  [0, "\x1a\x45\xdf\xa3", "video/webm", "webm"],
  [0, "%PDF-", "application/pdf", "pdf"],
  [0, "PK\x03\x04", "application/zip", "zip"],
  [0, "\x1f\x8b", "application/gzip", "gz"],
];

export function mediaType(bytes: Uint8Array): MediaType {
  const head = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  const found = MARKS.find(([at, mark]) => head.startsWith(mark, at));
  if (found !== undefined) return { type: found[2], extension: found[3] };
  return isText(bytes) ? TEXT : BYTES;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const SNIFF_BYTES = 8192;

/** Text has no NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}
