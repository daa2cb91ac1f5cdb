// Checks of this computer: git, editor, terminal, sandbox, disk, clock, provider, socket.

import { accessSync, constants, existsSync, lstatSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { SysError } from "../abi/errno.ts";
import { BUBBLE_TRIAL } from "../lib/bubblewrap.ts";
import { listDirectory } from "../lib/directories.ts";
import { wantsColour } from "../lib/text/colour.ts";
import { quoted } from "../lib/text/quote.ts";
import { type Check, type CheckResult, faultFound, faultLine, notice, ok, problem } from "./check.ts";
import { isThere } from "./home.ts";
import type { Patient } from "./patient.ts";

const INSTALL = "install git: apt install git, brew install git";

export const git: Check = {
  name: "git",
  needsHome: false,
  async look({ find, run }) {
    const path = find("git");
    if (path === null)
      return [notice("git not found: context and skills have no history, knowledge is read-only", { fix: INSTALL })];
    try {
      const { status, says } = await run([path, "--version"]);
      if (status === 0) return [ok(`${says} (${path})`)];
      return [notice(`${path} does not run: ${says || `exit status ${status}`}`, { fix: INSTALL })];
    } catch (error) {
      return [notice(`${path} does not run: ${faultLine(error)}`, { fix: INSTALL })];
    }
  },
};

const COMMON = ["nano", "vim", "vi", "emacs"];

export const editor: Check = {
  name: "editor",
  needsHome: false,
  look(patient) {
    const { env, find } = patient;
    const name = env.VISUAL ? "VISUAL" : "EDITOR";
    const command = (env[name] ?? "").trim();
    if (command === "") return [notice("neither VISUAL nor EDITOR is set", { fix: exported("EDITOR", patient) })];
    // EDITOR may have arguments: `code --wait`.
    const program = command.split(/\s+/)[0] ?? "";
    const path = find(program);
    if (path !== null) return [ok(`${command} (${name}, ${path})`)];
    return [problem(`${name} is ${command}, but there is no program ${program}`, { fix: exported(name, patient) })];
  },
};

function exported(name: string, { find }: Patient): string {
  const there = COMMON.find((program) => find(program) !== null);
  return there === undefined ? `install an editor and export ${name}` : `export ${name}=${there}`;
}

const COLUMNS_MIN = 60;
const ROWS_MIN = 15;

export const terminal: Check = {
  name: "terminal",
  needsHome: false,
  look(patient) {
    const { env, terminal: screen } = patient;
    if (!screen.isTTY) return [ok("none: output is plain and without colours")];
    const { columns, rows } = screen;
    const found: CheckResult[] = [];
    const { TERM = "" } = env;
    if (TERM === "" || TERM === "dumb")
      found.push(notice(TERM === "" ? "TERM is not set" : "TERM is dumb", { fix: "export TERM=xterm-256color" }));
    if (columns < COLUMNS_MIN || rows < ROWS_MIN)
      found.push(
        notice(`${columns} columns and ${rows} rows are too few: tables are cut`, {
          fix: `resize it to at least ${COLUMNS_MIN} by ${ROWS_MIN}`,
        }),
      );
    if (!/utf-?8/i.test(localeOf(patient)))
      found.push(notice(`the locale ${localeOf(patient) || "(none)"} is not UTF-8`, { fix: "export LANG=C.UTF-8" }));
    return found.length > 0 ? found : [ok(`${TERM}, ${columns} by ${rows}, ${coloursOf(patient)}`)];
  },
};

// In the order of the C library.
function localeOf({ env }: Patient): string {
  return env.LC_ALL || env.LC_CTYPE || env.LANG || "";
}

function coloursOf({ env }: Patient): string {
  if (!wantsColour(true, env)) return `no colours (${env.NO_COLOR ? "NO_COLOR is set" : "CLICOLOR is 0"})`;
  if (env.COLORTERM === "truecolor" || env.COLORTERM === "24bit") return "24-bit colours";
  return /256/.test(env.TERM ?? "") ? "256 colours" : "16 colours";
}

export const sandbox: Check = {
  name: "sandbox",
  needsHome: false,
  async look({ find, run }) {
    const path = find("bwrap");
    if (path === null)
      return [notice("bwrap not found: commands cannot run in a sandbox", { fix: "on Linux: apt install bubblewrap" })];
    try {
      const { status, says } = await run([path, ...BUBBLE_TRIAL]);
      if (status === 0) return [ok(`${path} works: agent commands write only their directory`)];
      return [notice(`${path} does not work here: ${says || `exit status ${status}`}`, { fix: ALLOW })];
    } catch (error) {
      return [notice(`${path} does not run: ${faultLine(error)}`, { fix: ALLOW })];
    }
  },
};

const ALLOW = "allow unprivileged user namespaces, as in: sudo sysctl kernel.unprivileged_userns_clone=1";

const MIB = 1024 * 1024;
/** Below this SQLite soon fails to write, and processes pause. */
const FREE_BYTES_MIN = 64 * MIB;
const FREE_BYTES_LOW = 1024 * MIB;
const FREE_FILES_MIN = 1000;

export const disk: Check = {
  name: "disk",
  needsHome: false,
  look(patient) {
    if (patient.homeFault !== null) return [];
    try {
      return judgedDisk(patient);
    } catch (error) {
      return [notice(`the free space is unknown: ${faultLine(error)}`)];
    }
  },
};

function judgedDisk({ paths, disk: look }: Patient): CheckResult[] {
  const { freeBytes, freeFiles, isRemote } = look(nearestExisting(paths.home));
  const free = sizeText(freeBytes);
  const found: CheckResult[] = [];
  if (freeBytes < FREE_BYTES_MIN)
    found.push(problem(`only ${free} free: processes pause when a write fails`, { fix: "free some disk space" }));
  else if (freeBytes < FREE_BYTES_LOW) found.push(notice(`${free} free`, { fix: "free some disk space soon" }));
  if (freeFiles < FREE_FILES_MIN)
    found.push(
      problem(`only ${freeFiles} more files can be created`, { fix: "remove files that are no longer needed" }),
    );
  if (isRemote)
    found.push(
      notice("the home is on a network disk, where locks may fail", {
        fix: "set GSV_HOME to a directory on a local disk",
      }),
    );
  return found.length > 0 ? found : [ok(`${free} free`)];
}

/** The home, or the directory it would be created in. */
function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function sizeText(bytes: number): string {
  const gib = bytes / (1024 * MIB);
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}

/** Computers that share a disk may differ by this much. */
const FUTURE_MS = 2 * 60 * 1000;
const EARLIEST = Date.UTC(2025, 0, 1);
const SET_IT = "set the clock: sudo timedatectl set-ntp true";

export const clock: Check = {
  name: "clock",
  needsHome: false,
  look(patient) {
    const found = [...clockFaults(patient), ...zoneFaults(patient)];
    if (found.length > 0) return found;
    return [ok(`${new Date(patient.clock.now()).toISOString()}${patient.env.TZ ? `, TZ ${patient.env.TZ}` : ""}`)];
  },
};

function clockFaults(patient: Patient): CheckResult[] {
  const now = patient.clock.now();
  if (now < EARLIEST) return [problem(`the clock is wrong: ${new Date(now).toISOString()}`, { fix: SET_IT })];
  const newest = isThere(patient) ? newestIn(patient) : null;
  if (newest === null || newest.at <= now + FUTURE_MS) return [];
  const minutes = Math.round((newest.at - now) / 60_000);
  return [
    problem(`the clock was set back: ${newest.name} was written ${minutes} minutes in the future`, {
      fix: `${SET_IT}; if it is right: touch the file`,
    }),
  ];
}

/** The newest file among those that gsv writes often. */
function newestIn({ paths }: Patient): { readonly name: string; readonly at: number } | null {
  const { home, procDir, runDir, logDir } = paths;
  const files = [home, procDir, runDir, logDir].flatMap((directory) =>
    listDirectory(directory).map((name) => join(directory, name)),
  );
  let newest: { name: string; at: number } | null = null;
  for (const path of files) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) continue;
    if (newest === null || stat.mtimeMs > newest.at) newest = { name: relative(home, path), at: stat.mtimeMs };
  }
  return newest;
}

function zoneFaults({ env }: Patient): CheckResult[] {
  const { TZ = "" } = env;
  // A leading colon and the path of a zone file are allowed.
  const name = TZ.replace(/^:/, "");
  if (name === "" || name.startsWith("/")) return [];
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return [];
  } catch {
    return [problem(`TZ is ${TZ}, which is not a time zone`, { fix: "export TZ=Europe/Amsterdam, or unset TZ" })];
  }
}

export const provider: Check = {
  name: "provider",
  needsHome: false,
  look(patient) {
    try {
      const choice = patient.provider();
      if (choice.provider === "offline")
        return [
          ok(`offline: answers come from the manual${patient.env.GSV_MODEL ? "" : " (no model in the environment)"}`),
        ];
      if (choice.provider === "script" && !isReadable(choice.model))
        return [
          problem(`cannot read the script ${choice.model} (GSV_MODEL)`, {
            fix: "export GSV_MODEL=script:/path/to/file, or unset GSV_MODEL",
          }),
        ];
      return [ok(`${choice.name}; test it with gsv doctor --provider`)];
    } catch (error) {
      const fix = error instanceof SysError ? error.hints.join("; ") : "unset GSV_MODEL";
      return [problem(faultLine(error), { fix })];
    }
  },
};

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

export const socket: Check = {
  name: "socket",
  needsHome: true,
  look(patient) {
    try {
      return [judgedSocket(patient, patient.socketPath())];
    } catch (error) {
      return [faultFound(error)];
    }
  },
};

function judgedSocket(patient: Patient, path: string): CheckResult {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const elsewhere = path === patient.paths.socket ? "" : "; the path of the home is too long for a socket";
  if (stat === undefined) return ok(`${path}, when a kernel runs${elsewhere}`);
  if (!stat.isSocket())
    return problem(`${path} is not a socket, and a kernel needs this path`, {
      fix: `mv ${quoted(path)} ${quoted(`${path}.old`)}`,
    });
  if (patient.lock.isHeld()) return ok(`${path}${elsewhere}`);
  return notice(`${path} is left from a kernel that is gone`, {
    fix: `rm ${quoted(path)}`,
    repair: () =>
      patient.lock.hold(async () => {
        if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
        return "removed the unused socket";
      }),
  });
}
