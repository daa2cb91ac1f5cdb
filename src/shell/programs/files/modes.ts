// `chmod`, `chown`, `chgrp`, `mkdir` and `du`: permissions and owners of files, directories made, and how much is below one.

import { type Grammar, type Options, options } from "../options.ts";
import { type Call, entries, phrase, type Stat, Usage } from "../program.ts";
import { human } from "./human.ts";
import { owners } from "./owners.ts";

export function modeLetters({ kind, mode }: Stat): string {
  const letters = [..."rwxrwxrwx"].map((letter, at) => (mode & (0o400 >> at) ? letter : "-"));
  const special = (bit: number, at: number, [set = "", bare = ""]: string) => {
    if (mode & bit) letters[at] = letters[at] === "x" ? set : bare;
  };
  special(0o4000, 2, "sS");
  special(0o2000, 5, "sS");
  special(0o1000, 8, "tT");
  return `${{ file: "-", directory: "d", symlink: "l" }[kind]}${letters.join("")}`;
}

/** `755`, `u+x,go-w`, `a=r`; null where it is no mode. */
function changedMode(text: string, mode: number, isDirectory: boolean, umask: number): number | null {
  if (/^[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8);
  let result = mode;
  for (const clause of text.split(",")) {
    const [, who = "", changes] = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)$/.exec(clause) ?? [];
    if (changes === undefined) return null;
    const places = who === "" || who.includes("a") ? "ugo" : who;
    for (const [, operator = "", what = ""] of changes.matchAll(/([-+=])([rwxXstugo]*)/g)) {
      for (const place of places) {
        const shift = { u: 6, g: 3, o: 0 }[place] ?? 0;
        const bits = bitsOf(what, result, isDirectory) & (who === "" ? ~(umask >> shift) : 7);
        if (operator === "=") result &= ~(7 << shift);
        result = operator === "-" ? result & ~(bits << shift) : result | (bits << shift);
      }
      const special =
        (what.includes("s") ? (places.includes("u") ? 0o4000 : 0) | (places.includes("g") ? 0o2000 : 0) : 0) |
        (what.includes("t") ? 0o1000 : 0);
      result = operator === "-" ? result & ~special : result | special;
    }
  }
  return result;
}

function bitsOf(what: string, mode: number, isDirectory: boolean): number {
  const from = { u: 6, g: 3, o: 0 }[what];
  if (from !== undefined) return (mode >> from) & 7;
  const search = what.includes("x") || (what.includes("X") && (isDirectory || (mode & 0o111) !== 0));
  return (what.includes("r") ? 4 : 0) | (what.includes("w") ? 2 : 0) | (search ? 1 : 0);
}

const CHANGE: Grammar = {
  letters: "Rvcfh",
  long: {
    recursive: "R",
    verbose: "v",
    changes: "c",
    silent: "f",
    quiet: "f",
    "no-dereference": "h",
    "reference=": "=",
  },
};

export async function chmod(call: Call): Promise<number> {
  // `-x` takes a permission away and is no flag.
  const isMode = (arg: string) => /^-[rwxXst]+$/.test(arg);
  const { flags, operands } = options(
    "chmod",
    call.args.filter((arg) => !isMode(arg)),
    CHANGE,
  );
  const [mode, ...names] = [...call.args.filter(isMode), ...operands];
  if (mode === undefined || names.length === 0)
    throw new Usage(
      `chmod: missing operand${mode === undefined ? "" : ` after ‘${mode}’`}\nTry 'chmod --help' for more information.`,
    );
  if (changedMode(mode, 0, false, 0) === null)
    throw new Usage(`chmod: invalid mode: ‘${mode}’\nTry 'chmod --help' for more information.`);
  return each(call, names, flags, async (path, found) => {
    await call.files.setattr(path, {
      mode: changedMode(mode, found.mode, found.kind === "directory", call.umask) ?? found.mode,
    });
  });
}

export async function chown(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, CHANGE);
  const [wanted, ...names] = operands;
  if (wanted === undefined || names.length === 0)
    throw new Usage(
      `${call.name}: missing operand${wanted === undefined ? "" : ` after ‘${wanted}’`}\nTry '${call.name} --help' for more information.`,
    );
  const known = await owners(call);
  const [user = "", group = ""] = call.name === "chgrp" ? ["", wanted] : wanted.split(/[:.]/);
  const uid = user === "" ? undefined : known.uidOf(user);
  const gid = group === "" ? undefined : known.gidOf(group);
  if (uid === null) throw new Usage(`${call.name}: invalid user: ‘${wanted}’`);
  if (gid === null) throw new Usage(`${call.name}: invalid group: ‘${wanted}’`);
  const change = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
  return each(call, names, flags, (path) => call.files.setattr(path, change));
}

async function each(
  call: Call,
  names: readonly string[],
  flags: Options["flags"],
  work: (path: string, found: Stat) => Promise<void>,
): Promise<number> {
  let status = 0;
  const visit = async (name: string): Promise<void> => {
    const path = call.path(name);
    let found: Stat;
    try {
      found = await call.files.stat(path);
    } catch (error) {
      call.err(`${call.name}: cannot access '${name}': ${phrase(error)}\n`);
      status = 1;
      return;
    }
    try {
      await work(path, found);
    } catch (error) {
      call.err(
        `${call.name}: changing ${call.name === "chmod" ? "permissions" : "ownership"} of '${name}': ${phrase(error)}\n`,
      );
      status = 1;
    }
    if (flags.has("R") && found.kind === "directory")
      for (const entry of await entries(call, name)) await visit(`${name}/${entry.name}`);
  };
  for (const name of names) await visit(name);
  return status;
}

export async function mkdir(call: Call): Promise<number> {
  const { flags, operands } = options("mkdir", call.args, {
    letters: "pm:v",
    long: { parents: "p", "mode=": "m", verbose: "v" },
  });
  if (operands.length === 0) throw new Usage("mkdir: missing operand\nTry 'mkdir --help' for more information.");
  const mode = flags.get("m");
  const wanted = mode === undefined ? null : changedMode(mode, 0o777, true, call.umask);
  if (mode !== undefined && wanted === null) throw new Usage(`mkdir: invalid mode ‘${mode}’`);
  let status = 0;
  for (const name of operands) {
    try {
      await call.files.mkdir(call.path(name), flags.has("p"));
      if (wanted !== null) await call.files.setattr(call.path(name), { mode: wanted });
      if (flags.has("v")) call.out(`mkdir: created directory '${name}'\n`);
    } catch (error) {
      call.err(`mkdir: cannot create directory ‘${name}’: ${phrase(error)}\n`);
      status = 1;
    }
  }
  return status;
}

const BLOCK = 4096;

export async function du(call: Call): Promise<number> {
  const { flags, operands } = options("du", call.args, {
    letters: "abchksmd:x",
    long: { all: "a", bytes: "b", total: "c", "human-readable": "h", summarize: "s", "max-depth=": "d" },
  });
  const depthMax = flags.has("s") ? 0 : flags.has("d") ? Number(flags.get("d")) : Number.POSITIVE_INFINITY;
  const sized = (bytes: number) =>
    flags.has("h")
      ? human(bytes)
      : flags.has("b")
        ? String(bytes)
        : String(Math.ceil(bytes / (flags.has("m") ? 1024 ** 2 : 1024)));
  const visit = async (name: string, depth: number, known?: Stat): Promise<number> => {
    const { kind, size } = known ?? (await call.files.lstat(call.path(name)));
    let bytes = flags.has("b") ? size : Math.ceil(size / BLOCK) * BLOCK;
    if (kind === "directory")
      for (const entry of await entries(call, name))
        bytes += await visit(`${name === "/" ? "" : name}/${entry.name}`, depth + 1, entry.stat);
    if (depth === 0 || (depth <= depthMax && (kind === "directory" || flags.has("a"))))
      call.out(`${sized(bytes)}\t${name}\n`);
    return bytes;
  };
  let [status, total] = [0, 0];
  for (const name of operands.length === 0 ? ["."] : operands) {
    try {
      total += await visit(name, 0);
    } catch (error) {
      call.err(`du: cannot access '${name}': ${phrase(error)}\n`);
      status = 1;
    }
  }
  if (flags.has("c")) call.out(`${sized(total)}\ttotal\n`);
  return status;
}
