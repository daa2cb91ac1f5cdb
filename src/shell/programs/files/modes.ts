// `chmod`, `chown`, `chgrp` and `mkdir`.

import { type Grammar, type Options, options } from "../options.ts";
import { type Call, entries, type Stat, Usage } from "../program.ts";
import { changedMode } from "./mode.ts";
import { owners } from "./owners.ts";

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
  // `-x` is a mode, not a flag.
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

/** -R works bottom-up, because a directory may lose its execute permission. Links are not followed. */
async function each(
  call: Call,
  names: readonly string[],
  flags: Options["flags"],
  work: (path: string, found: Stat) => Promise<void>,
): Promise<number> {
  let status = 0;
  const attempt = async (doing: string, act: () => Promise<void>) => {
    await act().catch((error: unknown) => {
      call.fail(error, (why) => `${call.name}: ${doing}: ${why}`);
      status = 1;
    });
  };
  const visit = async (name: string, known?: Stat): Promise<void> => {
    const path = call.path(name);
    let found = known;
    await attempt(`cannot access '${name}'`, async () => {
      found ??= await call.files.stat(path);
    });
    if (found === undefined) return;
    const { kind } = found;
    if (flags.has("R") && kind === "directory")
      await attempt(`cannot read directory '${name}'`, async () => {
        for (const entry of await entries(call, name))
          if (entry.stat.kind !== "symlink") await visit(`${name}/${entry.name}`, entry.stat);
      });
    const what = call.name === "chmod" ? "permissions" : "ownership";
    await attempt(`changing ${what} of '${name}'`, () => work(path, found as Stat));
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
      call.fail(error, (why) => `mkdir: cannot create directory ‘${name}’: ${why}`);
      status = 1;
    }
  }
  return status;
}
