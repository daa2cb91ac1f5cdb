// `tar`: creates, lists and extracts archives. A member is never extracted outside the target directory.

import { gunzipSync, gzipSync } from "node:zlib";
import { LIMITS } from "../../../abi/config/limits.ts";
import { sizeText } from "../../../lib/text/size.ts";
import { type Options, options } from "../options.ts";
import { type Call, entries, phrase, Usage, whole } from "../program.ts";
import { archiveOf, type Member, membersOf } from "./tar-format.ts";
import { globMatches } from "./walk.ts";

const EXIT_FAULT = 2;
const LATE = "tar: Exiting with failure status due to previous errors\n";
const FATAL = "tar: Error is not recoverable: exiting now";
const GZIP = [0x1f, 0x8b] as const;
const LONG = {
  ...{ create: "c", extract: "x", get: "x", list: "t", append: "r", "file=": "f", gzip: "z", gunzip: "z" },
  ...{ verbose: "v", "directory=": "C", "to-stdout": "O", "strip-components=": "#", "exclude=": "!" },
  ...{ "keep-old-files": "k", "preserve-permissions": "p", dereference: "h", overwrite: "w", wildcards: "*" },
  ...{ "no-same-owner": "o", "no-same-permissions": "p", "auto-compress": "a", touch: "m", "numeric-owner": "n" },
  ...{ bzip2: "j", xz: "J", zstd: "Z", "sort=": "s", "owner=": "s", "group=": "s", "mtime=": "s" },
};

type Flags = Options["flags"];

export async function tar(call: Call): Promise<number> {
  const { flags, uses, operands } = options("tar", modern(call.args), {
    letters: "cxtrf:zvC:OkphmoajJZwn",
    long: LONG,
    status: EXIT_FAULT,
  });
  const actions = ["c", "x", "t"].filter((letter) => flags.has(letter));
  if (flags.has("r")) throw new Usage("tar: cannot append to an archive; create it again with all files", EXIT_FAULT);
  if (["j", "J", "Z"].some((letter) => flags.has(letter)))
    throw new Usage("tar: only gzip is supported, not bzip2, xz or zstd", EXIT_FAULT);
  if (actions.length === 0)
    throw new Usage(
      "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\nTry 'tar --help' or 'tar --usage' for more information.",
      EXIT_FAULT,
    );
  if (actions.length > 1)
    throw new Usage(
      "tar: You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option\nTry 'tar --help' or 'tar --usage' for more information.",
      EXIT_FAULT,
    );
  const left = uses.filter(([flag]) => flag === "!").map(([, value]) => value);
  const isLeft = (name: string) =>
    left.some((each) => [name, name.split("/").at(-1) ?? ""].some((one) => globMatches(each, one)));
  return flags.has("c") ? create(call, flags, operands, isLeft) : takeOut(call, flags, operands, isLeft);
}

/** `tar xzf a.tgz -C d`: letters without a dash, followed by their values in order. */
function modern(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first.startsWith("-") || !/^[a-zA-Z]+$/.test(first)) return args;
  const values = [...first].flatMap((letter) => ("fC".includes(letter) ? [`-${letter}`, rest.shift() ?? ""] : []));
  const bare = first.replaceAll(/[fC]/g, "");
  return [...(bare === "" ? [] : [`-${bare}`]), ...values, ...rest];
}

function placeOf(call: Call, flags: Flags): string {
  const directory = flags.get("C");
  return directory === undefined ? call.path(".") : call.path(directory);
}

async function create(
  call: Call,
  flags: Flags,
  names: readonly string[],
  isLeft: (name: string) => boolean,
): Promise<number> {
  if (names.length === 0)
    throw new Usage(
      "tar: Cowardly refusing to create an empty archive\nTry 'tar --help' or 'tar --usage' for more information.",
      EXIT_FAULT,
    );
  const base = placeOf(call, flags);
  const isStdout = (flags.get("f") ?? "-") === "-";
  const members: Member[] = [];
  let [status, isCut, size] = [0, false, 0];
  const add = async (name: string): Promise<void> => {
    const path = name.startsWith("/") ? name : `${base}/${name}`;
    const bare = name.replace(/^\/+/, "");
    if (bare !== name && !isCut) {
      isCut = true;
      call.err("tar: Removing leading `/' from member names\n");
    }
    if (isLeft(bare)) return;
    try {
      const member = await memberAt(call, path, bare, flags.has("h"));
      size += member.bytes.byteLength;
      if (size > LIMITS.fileBytesMax)
        throw new Usage(`tar: more than ${sizeText(LIMITS.fileBytesMax)} in one archive`, EXIT_FAULT);
      members.push(member);
      if (flags.has("v")) (isStdout ? call.err : call.out)(`${member.name}\n`);
      if (member.kind !== "directory") return;
      const inside = name.replace(/\/+$/, "");
      for (const each of await entries(call, path)) await add(`${inside}/${each.name}`);
    } catch (error) {
      if (error instanceof Usage) throw error;
      status = EXIT_FAULT;
      call.err(`tar: ${name}: Cannot stat: ${phrase(error)}\n`);
    }
  };
  for (const name of names) await add(name.length > 1 ? name.replace(/\/+$/, "") : name);
  const archive = archiveOf(members);
  const file = flags.get("f") ?? "-";
  const isZipped = flags.has("z") || (flags.has("a") && /\.t?gz$/.test(file));
  const bytes = isZipped ? gzipSync(archive) : archive;
  if (isStdout) call.out(bytes);
  else
    await call.files.write(call.path(file), bytes).catch((error: unknown) => {
      throw new Usage(`tar: ${file}: Cannot open: ${phrase(error)}\n${FATAL}`, EXIT_FAULT);
    });
  if (status !== 0) call.err(LATE);
  return status;
}

async function memberAt(call: Call, path: string, name: string, follows: boolean): Promise<Member> {
  const stat = await (follows ? call.files.stat(path) : call.files.lstat(path));
  const owner = (id: number) => (id === 0 ? "root" : (call.env.USER ?? String(id)));
  return {
    ...{ kind: stat.kind, mode: stat.mode & 0o7777, mtimeMs: stat.mtimeMs, uid: stat.uid, gid: stat.gid },
    ...{ owner: owner(stat.uid), group: owner(stat.gid), target: stat.target ?? "" },
    name: stat.kind === "directory" && !name.endsWith("/") ? `${name === "" ? "." : name}/` : name,
    bytes: stat.kind === "file" ? await whole(call, path) : new Uint8Array(),
  };
}

async function archiveAt(call: Call, flags: Flags): Promise<readonly Member[]> {
  const name = flags.get("f") ?? "-";
  const bytes = await whole(call, name).catch((error: unknown) => {
    if (error instanceof Usage) throw error;
    throw new Usage(`tar: ${name}: Cannot open: ${phrase(error)}\n${FATAL}`, EXIT_FAULT);
  });
  const isZipped = bytes[0] === GZIP[0] && bytes[1] === GZIP[1];
  if (flags.has("z") && !isZipped)
    throw new Usage(`\ngzip: stdin: not in gzip format\ntar: Child returned status 1\n${FATAL}`, EXIT_FAULT);
  const found = membersOf(isZipped ? unzipped(bytes) : bytes);
  if (found === null) throw new Usage(`tar: This does not look like a tar archive\n${LATE.trimEnd()}`, EXIT_FAULT);
  if (found.isCut) throw new Usage(`tar: Unexpected EOF in archive\n${FATAL}`, EXIT_FAULT);
  return found.members;
}

function unzipped(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: LIMITS.fileBytesMax });
  } catch (error) {
    const isBig = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    const why = isBig ? `more than ${sizeText(LIMITS.fileBytesMax)}` : "unexpected end of file";
    throw new Usage(`\ngzip: stdin: ${why}\ntar: Child returned status 1\n${FATAL}`, EXIT_FAULT);
  }
}

async function takeOut(
  call: Call,
  flags: Flags,
  wanted: readonly string[],
  isLeft: (name: string) => boolean,
): Promise<number> {
  const members = await archiveAt(call, flags);
  const missing = new Set(wanted);
  const isWanted = (name: string) => {
    if (wanted.length === 0) return true;
    const bare = name.replace(/\/$/, "");
    const found = wanted.find((each) =>
      flags.has("*")
        ? globMatches(each, bare)
        : bare === each.replace(/\/$/, "") || name.startsWith(`${each.replace(/\/$/, "")}/`),
    );
    if (found !== undefined) missing.delete(found);
    return found !== undefined;
  };
  const chosen = members.filter(({ name }) => isWanted(name) && !isLeft(name.replace(/\/$/, "")));
  let status = 0;
  if (flags.has("t")) for (const member of chosen) call.out(`${flags.has("v") ? longLine(member) : member.name}\n`);
  else {
    const taker = new Taker(call, flags);
    await taker.take(chosen);
    status = taker.status;
  }
  for (const name of missing) call.err(`tar: ${name}: Not found in archive\n`);
  if (missing.size > 0 || status !== 0) call.err(LATE);
  return missing.size > 0 ? EXIT_FAULT : status;
}

class Taker {
  status = 0;
  private isCut = false;
  private readonly base: string;

  constructor(
    private readonly call: Call,
    private readonly flags: Flags,
  ) {
    this.base = placeOf(call, flags);
  }

  /** Links are created last, so that no member is written through a link of the same archive. */
  async take(members: readonly Member[]): Promise<void> {
    const { call, flags } = this;
    if (flags.has("C") && (await call.files.stat(this.base).catch(() => null))?.kind !== "directory")
      throw new Usage(`tar: ${flags.get("C")}: Cannot open: No such file or directory\n${FATAL}`, EXIT_FAULT);
    const links: (() => Promise<void>)[] = [];
    for (const member of members) {
      const name = this.nameOf(member);
      if (name === null) continue;
      if (flags.has("v")) (flags.has("O") ? call.err : call.out)(`${member.name}\n`);
      const work = () => this.attempt(member, name);
      if (member.kind === "symlink" || member.kind === "hardlink") links.push(work);
      else await work();
    }
    for (const link of links) await link();
  }

  /** The target path; null if empty or outside the directory. */
  private nameOf({ name }: Member): string | null {
    if (name.split("/").includes("..")) {
      this.fault(`${name}: Member name contains '..'`);
      return null;
    }
    if (name.startsWith("/") && !this.isCut) {
      this.isCut = true;
      this.call.err("tar: Removing leading `/' from member names\n");
    }
    const parts = name.split("/").filter((part) => part !== "" && part !== ".");
    const kept = parts.slice(Number(this.flags.get("#") ?? 0));
    return kept.length === 0 ? null : kept.join("/");
  }

  private fault(what: string): void {
    this.status = EXIT_FAULT;
    this.call.err(`tar: ${what}\n`);
  }

  private async attempt(member: Member, name: string): Promise<void> {
    const { files } = this.call;
    const path = `${this.base}/${name}`;
    try {
      if (this.flags.has("O")) {
        if (member.kind === "file") this.call.out(member.bytes);
        return;
      }
      if (member.kind === "directory") return await files.mkdir(path, true);
      const there = await files.lstat(path).catch(() => null);
      if (there !== null && this.flags.has("k")) return this.fault(`${name}: Cannot open: File exists`);
      if (name.includes("/")) await files.mkdir(path.slice(0, path.lastIndexOf("/")), true);
      // Replace an existing file; never write through a link.
      if (there !== null && (there.kind === "symlink" || member.kind !== "file")) await files.remove(path);
      if (member.kind === "symlink") return await files.link(path, member.target);
      if (member.kind === "hardlink") await files.write(path, await whole(this.call, `${this.base}/${member.target}`));
      else if (member.kind === "file") await files.write(path, member.bytes);
      else return this.fault(`${name}: gsv has no files of this kind`);
      await files.setattr(path, { mode: member.mode & 0o777 & ~(this.flags.has("p") ? 0 : this.call.umask) });
      if (!this.flags.has("m")) await files.setattr(path, { mtimeMs: member.mtimeMs });
    } catch (error) {
      this.fault(`${name}: Cannot open: ${phrase(error)}`);
    }
  }
}

function longLine({ kind, mode, owner, group, uid, gid, bytes, mtimeMs, name, target }: Member): string {
  const letters = [6, 3, 0].map((shift) => {
    const three = (mode >> shift) & 7;
    return `${three & 4 ? "r" : "-"}${three & 2 ? "w" : "-"}${three & 1 ? "x" : "-"}`;
  });
  const front = { file: "-", directory: "d", symlink: "l", hardlink: "h", other: "?" }[kind];
  const who = `${owner || uid}/${group || gid}`;
  const size = String(bytes.byteLength).padStart(Math.max(1, 19 - who.length - 1));
  const [day = "", time = ""] = new Date(mtimeMs).toISOString().split("T");
  const arrow = kind === "symlink" ? ` -> ${target}` : "";
  return `${front}${letters.join("")} ${who} ${size} ${day} ${time.slice(0, 5)} ${name}${arrow}`;
}
