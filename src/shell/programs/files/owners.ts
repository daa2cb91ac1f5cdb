// `id` and names of accounts and groups, from /etc; numbers for unknown ones.

import { options } from "../options.ts";
import { type Call, linesOf, Usage } from "../program.ts";

export interface Owners {
  readonly user: (uid: number) => string;
  readonly group: (gid: number) => string;
  readonly uidOf: (name: string) => number | null;
  readonly gidOf: (name: string) => number | null;
  readonly accounts: readonly { readonly name: string; readonly uid: number; readonly gid: number }[];
  readonly groups: readonly { readonly name: string; readonly gid: number; readonly members: readonly string[] }[];
}

const READ_MAX = 1024 * 1024;

export async function owners(call: Call): Promise<Owners> {
  const rows = async (path: string) => {
    const read = await call.files.read(path, 0, READ_MAX).catch(() => ({ bytes: new Uint8Array() }));
    return linesOf(Buffer.from(read.bytes).toString()).map((line) => line.split(":"));
  };
  const accounts = (await rows("/etc/passwd")).map(([name = "", , uid = "", gid = ""]) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
  }));
  const groups = (await rows("/etc/group")).map(([name = "", , gid = "", members = ""]) => ({
    name,
    gid: Number(gid),
    members: members.split(",").filter((each) => each !== ""),
  }));
  return {
    user: (uid) => accounts.find((each) => each.uid === uid)?.name ?? String(uid),
    group: (gid) => groups.find((each) => each.gid === gid)?.name ?? String(gid),
    uidOf: (name) => accounts.find((each) => each.name === name)?.uid ?? (/^\d+$/.test(name) ? Number(name) : null),
    gidOf: (name) => groups.find((each) => each.name === name)?.gid ?? (/^\d+$/.test(name) ? Number(name) : null),
    accounts,
    groups,
  };
}

export async function id(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, {
    letters: "ugGnr",
    long: { user: "u", group: "g", groups: "G", name: "n", real: "r" },
  });
  const known = await owners(call);
  const name = operands[0] ?? call.env.USER ?? "";
  const account = known.accounts.find((each) => each.name === name || String(each.uid) === name);
  if (account === undefined && operands[0] !== undefined) throw new Usage(`${call.name}: ‘${name}’: no such user`);
  const uid = account?.uid ?? Number(call.env.UID ?? 1000);
  const gid = account?.gid ?? uid;
  const all = [
    gid,
    ...known.groups
      .filter(({ members, gid: each }) => members.includes(name) && each !== gid)
      .map(({ gid: each }) => each),
  ];
  const shown = (number: number) => (flags.has("n") ? known.group(number) : String(number));
  if (call.name === "groups") call.out(`${operands.length > 0 ? `${name} : ` : ""}${all.map(known.group).join(" ")}\n`);
  else if (flags.has("u")) call.out(`${flags.has("n") ? (account?.name ?? name) : uid}\n`);
  else if (flags.has("g")) call.out(`${shown(gid)}\n`);
  else if (flags.has("G")) call.out(`${all.map(shown).join(" ")}\n`);
  else {
    const named = (number: number) => `${number}(${known.group(number)})`;
    call.out(`uid=${uid}(${account?.name ?? name}) gid=${named(gid)} groups=${all.map(named).join(",")}\n`);
  }
  return 0;
}
