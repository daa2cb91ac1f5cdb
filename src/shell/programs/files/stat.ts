// `stat`: prints facts about a file in a given format.

import { options } from "../options.ts";
import { type Call, type Stat, Usage } from "../program.ts";
import { modeLetters } from "./mode.ts";
import { type Owners, owners } from "./owners.ts";

export async function stat(call: Call): Promise<number> {
  const { flags, operands } = options("stat", call.args, {
    letters: "c:Lft",
    long: { "format=": "c", "printf=": "p", dereference: "L", follow: "L", terse: "t" },
  });
  if (operands.length === 0) throw new Usage("stat: missing operand\nTry 'stat --help' for more information.");
  const known = await owners(call);
  let status = 0;
  for (const name of operands) {
    try {
      const found = await (flags.has("L") ? call.files.stat(call.path(name)) : call.files.lstat(call.path(name)));
      if (call.row !== null) {
        call.row(found.facts ?? found);
        continue;
      }
      const format =
        flags.get("p")?.replaceAll("\\n", "\n").replaceAll("\\t", "\t") ??
        (flags.has("c") ? `${flags.get("c")}\n` : PLAIN);
      call.out(
        format.replaceAll(/%(-?\d*)([a-zA-Z%])/g, (_, width: string, letter: string) =>
          padded(field(letter, name, found, known), width),
        ),
      );
    } catch (error) {
      call.fail(error, (why) => `stat: cannot statx '${name}': ${why}`);
      status = 1;
    }
  }
  return status;
}

const PLAIN = `  File: %N
  Size: %-10s\tBlocks: %-10b IO Block: 4096   %F
Access: (%a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Modify: %y
`;

function padded(value: string, width: string): string {
  return width.startsWith("-") ? value.padEnd(Number(width.slice(1))) : value.padStart(Number(width || 0));
}

const KINDS = { file: "regular file", directory: "directory", symlink: "symbolic link" } as const;

function field(letter: string, name: string, found: Stat, known: Owners): string {
  const iso = () => `${new Date(found.mtimeMs).toISOString().replace("T", " ").replace("Z", "000000")} +0000`;
  switch (letter) {
    case "a":
      return (found.mode & 0o7777).toString(8);
    case "A":
      return modeLetters(found);
    case "b":
      return String(Math.ceil(found.size / 4096) * 8);
    case "B":
      return "512";
    case "f":
      return ({ file: 0o100000, directory: 0o040000, symlink: 0o120000 }[found.kind] | found.mode).toString(16);
    case "F":
      return found.kind === "file" && found.size === 0 ? "regular empty file" : KINDS[found.kind];
    case "g":
      return String(found.gid);
    case "G":
      return known.group(found.gid);
    case "h":
      return "1";
    case "n":
      return name;
    case "N":
      return found.kind === "symlink" ? `'${name}' -> '${found.target}'` : `'${name}'`;
    case "s":
      return String(found.size);
    case "u":
      return String(found.uid);
    case "U":
      return known.user(found.uid);
    case "X":
    case "Y":
    case "Z":
      return String(Math.floor(found.mtimeMs / 1000));
    case "x":
    case "y":
    case "z":
      return iso();
    case "%":
      return "%";
    default:
      return "?";
  }
}
