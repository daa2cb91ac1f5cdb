// The environment of programs on the host: an allow-list of names, without keys, tokens, and variables that make programs load other code.

export type Environment = { readonly [name: string]: string };

const KEPT = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_[A-Z]{1,20}|TZ|TMPDIR)$/;
const VALUE_BYTES_MAX = 16 * 1024;
const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/** Variables of these names, with any value. */
export function variablesNamed(
  names: readonly string[],
  env: { readonly [name: string]: string | undefined },
): { [name: string]: string } {
  const kept: { [name: string]: string } = {};
  for (const name of names) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** As `NAME=value` words. */
export function hostEnvironmentWords(given: { readonly [name: string]: string | undefined }): string[] {
  return Object.entries(hostEnvironment(given)).map(([name, value]) => `${name}=${value}`);
}

/** The allowed part of an environment. */
export function hostEnvironment(given: { readonly [name: string]: string | undefined }): Environment {
  const kept = Object.entries(given).filter(
    (each): each is [string, string] =>
      each[1] !== undefined && KEPT.test(each[0]) && each[1].length <= VALUE_BYTES_MAX && !each[1].includes("\0"),
  );
  return { TERM: "dumb", ...Object.fromEntries(kept), PATH: absoluteOnly(given.PATH) };
}

/** Removes relative parts of PATH, which would run programs of the current directory. */
function absoluteOnly(path: string | undefined): string {
  const parts = (path ?? "").split(":").filter((part) => part.startsWith("/") && !part.includes("\0"));
  return parts.join(":").slice(0, VALUE_BYTES_MAX) || PATH;
}
