// `umask`: permissions that new files do not get, as a number or in letters.

import { type GsvFiles, UMASK_SHOWN } from "./files.ts";

export function umask(args: readonly string[], files: GsvFiles) {
  const result = (stdout: string, stderr = "") => ({ stdout, stderr, exitCode: stderr === "" ? 0 : 1 });
  const mask = files.umask ?? UMASK_SHOWN;
  const number = mask.toString(8).padStart(4, "0");
  const [flag = "", ...rest] = args[0]?.startsWith("-") ? args : ["", ...args];
  if (!["", "-S", "-p"].includes(flag)) return { ...result("", `bash: umask: ${flag}: invalid option\n`), exitCode: 2 };
  const [wanted] = rest;
  if (wanted === undefined) {
    const shown = flag === "-S" ? letters(mask) : number;
    return result(flag === "-p" ? `umask ${shown}\n` : `${shown}\n`);
  }
  if (/^\d/.test(wanted)) {
    if (!/^[0-7]{1,4}$/.test(wanted)) return result("", `bash: umask: ${wanted}: octal number out of range\n`);
    files.umask = Number.parseInt(wanted, 8) & 0o777;
  } else {
    const parsed = changed(mask, wanted);
    if (parsed === null) return result("", `bash: umask: \`${wanted}': invalid symbolic mode operator\n`);
    files.umask = parsed;
  }
  return result(flag === "-S" ? `${letters(files.umask ?? mask)}\n` : "");
}

const SHIFT = { u: 6, g: 3, o: 0 } as const;

function letters(mask: number): string {
  const shown = (shift: number) => {
    const allowed = ~(mask >> shift) & 7;
    return `${allowed & 4 ? "r" : ""}${allowed & 2 ? "w" : ""}${allowed & 1 ? "x" : ""}`;
  };
  return `u=${shown(6)},g=${shown(3)},o=${shown(0)}`;
}

/** Letters list allowed permissions, the inverse of the mask. */
function changed(mask: number, text: string): number | null {
  let allowed = ~mask & 0o777;
  for (const clause of text.split(",")) {
    const [, who = "", operator, what = ""] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause) ?? [];
    if (operator === undefined) return null;
    const bits = (what.includes("r") ? 4 : 0) | (what.includes("w") ? 2 : 0) | (what.includes("x") ? 1 : 0);
    for (const each of who === "" || who.includes("a")
      ? (["u", "g", "o"] as const)
      : (["u", "g", "o"] as const).filter((one) => who.includes(one))) {
      const shift = SHIFT[each];
      if (operator === "=") allowed &= ~(7 << shift);
      allowed = operator === "-" ? allowed & ~(bits << shift) : allowed | (bits << shift);
    }
  }
  return ~allowed & 0o777;
}
