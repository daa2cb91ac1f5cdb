// Media types by file name, for content that strangers may have written.

export interface ContentType {
  readonly type: string;
  /** A browser may show it: it runs nothing of its own. */
  readonly isShown: boolean;
}

const TEXT = "text/plain; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";
const HTML = "text/html; charset=utf-8";

const SHOWN: { readonly [extension: string]: string } = {
  txt: TEXT,
  sha256: TEXT,
  ps1: TEXT,
  sh: "application/x-sh",
  json: "application/json",
  js: JAVASCRIPT,
  mjs: JAVASCRIPT,
  wasm: "application/wasm",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  // Read by the speech of the console.
  onnx: "application/octet-stream",
  data: "application/octet-stream",
};
const ATTACHED: { readonly [extension: string]: string } = {
  html: HTML,
  htm: HTML,
  xhtml: "application/xhtml+xml",
  svg: "image/svg+xml",
  xml: "application/xml",
  pdf: "application/pdf",
};

export function contentType(name: string): ContentType {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(SHOWN, extension)) return { type: SHOWN[extension]!, isShown: true };
  const attached = Object.hasOwn(ATTACHED, extension) ? ATTACHED[extension] : undefined;
  return { type: attached ?? "application/octet-stream", isShown: false };
}
