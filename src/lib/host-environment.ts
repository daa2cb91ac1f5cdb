// What a program of the host sees of the environment: names on a list, and no other. Keys and tokens are not on it, nor is anything that
// makes a program load or run something else.

export type Environment = { readonly [name: string]: string };

const KEPT = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_[A-Z]{1,20}|TZ|TMPDIR)$/;
const VALUE_BYTES_MAX = 16 * 1024;
const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/** The same as words, `NAME=value`. */
export function hostEnvironmentWords(given: { readonly [name: string]: string | undefined }): string[] {
  return Object.entries(hostEnvironment(given)).map(([name, value]) => `${name}=${value}`);
}

/** The part of an environment that a program of the host may have. */
export function hostEnvironment(given: { readonly [name: string]: string | undefined }): Environment {
  const kept = Object.entries(given).filter(
    (each): each is [string, string] =>
      each[1] !== undefined && KEPT.test(each[0]) && each[1].length <= VALUE_BYTES_MAX && !each[1].includes("\0"),
  );
  return { TERM: "dumb", ...Object.fromEntries(kept), PATH: absoluteOnly(given.PATH) };
}

/** A relative part of PATH would be another directory wherever one stands, and run what lies there. */
function absoluteOnly(path: string | undefined): string {
  const parts = (path ?? "").split(":").filter((part) => part.startsWith("/") && !part.includes("\0"));
  return parts.join(":").slice(0, VALUE_BYTES_MAX) || PATH;
}
