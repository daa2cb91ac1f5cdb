// Content type by file name. Unknown names count as text; a read checks.

const TYPES: { readonly [extension: string]: string } = {
  md: "text/markdown",
  txt: "text/plain",
  log: "text/plain",
  json: "application/json",
  jsonl: "application/jsonl",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  toml: "application/toml",
  js: "text/javascript",
  mjs: "text/javascript",
  ts: "text/typescript",
  tsx: "text/typescript",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  sh: "text/x-shellscript",
  py: "text/x-python",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  tar: "application/x-tar",
  wasm: "application/wasm",
  sqlite: "application/vnd.sqlite3",
};

export function contentTypeOf(name: string): string {
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
  return Object.hasOwn(TYPES, extension) ? (TYPES[extension] ?? "text/plain") : "text/plain";
}
