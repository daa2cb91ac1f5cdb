// Resources of MCP servers as paths, /mnt/mcp/SERVER/SCHEME/…, and back. Both ways without a list: a link in a result is a path at once. A URI that
// makes no plain path is one name of percent signs.

export const MCP_MOUNT = "/mnt/mcp";
const NAME_BYTES_MAX = 255;
const URI_CHARS_MAX = 2000;
const PLAIN = /^([a-z][a-z0-9+.-]*):\/\/((?:[\w.~@:+,=%-]+)(?:\/[\w.~@:+,=%-]+)*)$/i;
const FILE = "file";

/** Below the directory of the server; null if no name can hold it. */
export function pathOfUri(uri: string): string | null {
  if (uri === "" || uri.length > URI_CHARS_MAX) return null;
  const plain = plainPath(uri);
  if (plain !== null && uriOfPath(plain) === uri) return plain;
  const name = encoded(uri);
  return name.length > NAME_BYTES_MAX ? null : name;
}

/** null if no URI has this path. */
export function uriOfPath(path: string): string | null {
  const [scheme = "", ...rest] = path.split("/");
  if (scheme.includes("%")) return rest.length > 0 ? null : decoded(scheme);
  if (rest.length === 0) return null;
  return scheme === FILE ? `file:///${rest.join("/")}` : `${scheme}://${rest.join("/")}`;
}

/** One safe name for any text of a stranger, such as the name of a tool. */
export function safeName(text: string): string {
  return /^[\w~@+,=-][\w.~@+,=-]*$/.test(text) && text.length <= NAME_BYTES_MAX
    ? text
    : encoded(text).slice(0, NAME_BYTES_MAX);
}

function plainPath(uri: string): string | null {
  const [, scheme = "", rest = ""] = PLAIN.exec(uri.replace(/^file:\/\/\//, "file://")) ?? [];
  const names = rest.split("/");
  const isSafe = names.every((name) => name !== "." && name !== ".." && name.length <= NAME_BYTES_MAX);
  return scheme === "" || !isSafe ? null : `${scheme}/${rest}`;
}

/** With a percent sign, whatever the text. */
function encoded(text: string): string {
  const name = encodeURIComponent(text.toWellFormed()).replace(/^\./, "%2E");
  return name.includes("%")
    ? name
    : `%${name.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}${name.slice(1)}`;
}

function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}
