// /etc/passwd, /etc/shadow and /etc/group: the account tables as text, and text that root wrote back into the tables. The whole text is
// checked before any of it takes effect; the error names the first wrong line. Accounts and groups cannot be added, removed or moved here,
// because homes, agents, processes and rules depend on them: use `gsv user` and `gsv group`. Only people may write here.

import type { AccountFile } from "../../../fs/generated/etc.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, ROOT_UID } from "../../abi/identity.ts";
import type { GroupFileRow, PasswdRow, ShadowRow } from "../../store/kernel/people/account-files.ts";
import { LOCK } from "../../store/kernel/people/accounts.ts";
import type { AccountKind } from "../../store/kernel/people/people.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { isPasswordHash } from "../logins/passwords.ts";

export interface AccountFilesOptions {
  readonly kernel: Pick<KernelStore, "accountFiles" | "accounts" | "people">;
  readonly onLocked: (uid: number, locked: boolean) => void;
}

export interface AccountFiles {
  readonly passwd: AccountFile;
  readonly shadow: AccountFile;
  readonly group: AccountFile;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days: enough for some thousand years. */
const NUMBER = /^(?:0|[1-9][0-9]{0,5})$/;

export function accountFiles({ kernel, onLocked }: AccountFilesOptions): AccountFiles {
  const { accountFiles: rows } = kernel;
  return {
    passwd: {
      mode: 0o644,
      text: async () => (await rows.passwd()).map(passwdLine).join(""),
      async replace(caller, text) {
        needPerson(caller, "passwd");
        await rows.changePasswd((now) => passwdFrom(text, now));
      },
    },
    shadow: {
      mode: 0o640,
      forPeople: true,
      text: async () => (await rows.shadow()).map(shadowLine).join(""),
      async replace(caller, text) {
        needPerson(caller, "shadow");
        const people = await kernel.people.list();
        const own = await kernel.accounts.firstHuman();
        const kinds = new Map(people.map(({ username, kind }) => [username, kind]));
        const never = ["root", ...(own === null ? [] : [own.username])];
        await rows.changeShadow((now) => shadowFrom(text, now, { kinds, never }));
        for (const { uid, locked } of await kernel.people.list())
          if (locked !== people.find((each) => each.uid === uid)?.locked) onLocked(uid, locked);
      },
    },
    group: {
      mode: 0o644,
      text: async () => (await rows.groups()).map(groupLine).join(""),
      async replace(caller, text) {
        needPerson(caller, "group");
        const names = new Set((await kernel.people.list()).map(({ username }) => username));
        await rows.changeGroups((now) => groupsFrom(text, now, names));
      },
    },
  };
}

function needPerson({ kind }: Caller, file: string): void {
  if (kind !== "person") throw new SysError("EPERM", `/etc/${file} is changed by people: a process may not write it`);
}

function passwdLine({ username, uid, gid, gecos, home, shell }: PasswdRow): string {
  return `${[username, "x", uid, gid, gecos, home, shell].join(":")}\n`;
}

function shadowLine(row: ShadowRow): string {
  const { username, hash, min, max, warn, inactive, expire, reserved } = row;
  return `${[username, hash, daysOf(row), min, max, warn, inactive ?? "", expire ?? "", reserved].join(":")}\n`;
}

function groupLine({ name, gid, members }: GroupFileRow): string {
  return `${[name, "x", gid, members.join(",")].join(":")}\n`;
}

function daysOf({ lastchanged }: Pick<ShadowRow, "lastchanged">): string {
  return lastchanged === null ? "" : String(Math.floor(lastchanged / DAY_MS));
}

function passwdFrom(text: string, now: readonly PasswdRow[]): PasswdRow[] {
  const file = new Lines("passwd", text, 7);
  file.needSame(
    now.map(({ username }) => username),
    "gsv user add and gsv user rm",
  );
  return file.lines.map((line) => {
    const [username = "", mark = "", uid = "", gid = "", gecos = "", home = "", shell = ""] = line.fields;
    const old = now.find((row) => row.username === username);
    if (old === undefined) throw line.wrong("is not an account");
    if (mark !== "x") throw line.wrong("has no x in its second field: passwords are in /etc/shadow");
    if (uid !== String(old.uid) || gid !== String(old.gid)) throw line.wrong(`must keep its ids ${old.uid}:${old.gid}`);
    const own = old.uid === ROOT_UID ? "/root" : `/home/${username}`;
    if (home !== own) throw line.wrong(`must keep its home ${own}`);
    if (!shell.startsWith("/")) throw line.wrong("needs an absolute path as shell");
    return { ...old, gecos, home, shell };
  });
}

function shadowFrom(
  text: string,
  now: readonly ShadowRow[],
  { kinds, never }: { readonly kinds: ReadonlyMap<string, AccountKind>; readonly never: readonly string[] },
): ShadowRow[] {
  const file = new Lines("shadow", text, 9);
  file.needSame(
    now.map(({ username }) => username),
    "gsv user add and gsv user rm",
  );
  return file.lines.map((line) => {
    const [username = "", hash = "", changed = "", min = "", max = "", warn = "", inactive = "", expire = ""] =
      line.fields;
    const old = now.find((row) => row.username === username);
    if (old === undefined) throw line.wrong("is not an account");
    const bare = hash.startsWith(LOCK) ? hash.slice(LOCK.length) : hash;
    if (bare !== "!" && !isPasswordHash(bare))
      throw line.wrong('needs "!" or an argon2id hash of at most 256 MiB, after "!!" if locked');
    if (hash.startsWith(LOCK) && never.includes(username)) throw line.wrong("cannot be locked");
    const kind = kinds.get(username);
    if (hash.includes("$") && kind !== "human" && kind !== "root") throw line.wrong("is an agent and has no password");
    const days = [min, max, warn, ...[changed, inactive, expire].filter((each) => each !== "")];
    if (!days.every((each) => NUMBER.test(each))) throw line.wrong("has a field that is not a number of days");
    return {
      ...{ username, hash, min: Number(min), max: Number(max), warn: Number(warn) },
      lastchanged: changed === daysOf(old) ? old.lastchanged : changed === "" ? null : Number(changed) * DAY_MS,
      inactive: inactive === "" ? null : Number(inactive),
      expire: expire === "" ? null : Number(expire),
      reserved: line.fields[8] ?? "",
    };
  });
}

function groupsFrom(text: string, now: readonly GroupFileRow[], accounts: ReadonlySet<string>): GroupFileRow[] {
  const file = new Lines("group", text, 4);
  file.needSame(
    now.map(({ name }) => name),
    "gsv group add and gsv group rm",
  );
  return file.lines.map((line) => {
    const [name = "", mark = "", gid = "", list = ""] = line.fields;
    const old = now.find((row) => row.name === name);
    if (old === undefined) throw line.wrong("is not a group");
    if (mark !== "x") throw line.wrong("has no x in its second field");
    if (gid !== String(old.gid)) throw line.wrong(`must keep its id ${old.gid}`);
    const members = list === "" ? [] : list.split(",");
    const stranger = members.find((member) => !accounts.has(member));
    if (stranger !== undefined) throw line.wrong(`names ${stranger.slice(0, 40)}, which is not an account`);
    if (new Set(members).size !== members.length) throw line.wrong("names a member twice");
    return { name, gid: old.gid, members };
  });
}

interface Line {
  readonly fields: readonly string[];
  readonly wrong: (what: string) => SysError;
}

class Lines {
  readonly lines: readonly Line[];

  constructor(
    private readonly file: string,
    text: string,
    count: number,
  ) {
    if (!text.endsWith("\n")) throw this.refusal("has no newline at the end");
    this.lines = text
      .slice(0, -1)
      .split("\n")
      .map((line, index) => {
        const fields = line.split(":");
        const name = (fields[0] ?? "").slice(0, 40);
        const wrong = (what: string) => this.refusal(`line ${index + 1}: ${name} ${what}`);
        if (fields.length !== count) throw wrong(`has ${fields.length} fields instead of ${count}`);
        if (/[\u0000-\u001f\u007f]/.test(line)) throw wrong("contains a control character");
        return { fields, wrong };
      });
  }

  /** Throws unless each name is there exactly once. */
  needSame(names: readonly string[], commands: string): void {
    const given = this.lines.map(({ fields }) => fields[0] ?? "");
    const twice = given.find((name, index) => given.indexOf(name) !== index);
    if (twice !== undefined) throw this.refusal(`${twice.slice(0, 40)} is there twice`);
    const missing = names.find((name) => !given.includes(name));
    const added = given.find((name) => !names.includes(name));
    if (missing === undefined && added === undefined) return;
    const what = missing === undefined ? `${added?.slice(0, 40)} is new` : `${missing} is missing`;
    throw this.refusal(what, [`to add or remove: ${commands}`]);
  }

  private refusal(what: string, hints: readonly string[] = []): SysError {
    return new SysError("EINVAL", `/etc/${this.file} is unchanged: ${what}`, hints);
  }
}
