// Servers that other programs are configured with, as gsv would add them. Pure: the text of a configuration in, candidates out. Values of variables
// and headers are never shown; allowances of other programs are not imported.

import { inQuotes } from "../../../src/lib/text/quote.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";

export interface Candidate {
  readonly name: string;
  readonly source: string;
  readonly scope: "account" | "workspace";
  /** A program with its arguments, or an address. */
  readonly command: readonly string[];
  readonly url: string | null;
  readonly directory: string | null;
  readonly env: Values;
  readonly headers: Values;
  /** The variables of the person that values of `env` and `headers` contain. */
  readonly from: Values;
  readonly notes: readonly string[];
  /** Why gsv cannot add it; null if it can. */
  readonly refused: string | null;
}

export type Values = { readonly [name: string]: string };

export interface Source {
  /** As shown. */
  readonly path: string;
  readonly scope: Candidate["scope"];
  readonly env: { readonly [name: string]: string | undefined };
}

type Entry = { readonly [key: string]: unknown };

const SECRET_NAME = /TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH/i;
const NAME_CHARS = 24;
const BEARER = "Authorization";

/** `.mcp.json` and Claude Code's `mcpServers`. */
export function fromClaude(servers: unknown, source: Source): Candidate[] {
  return entries(servers).map(([name, entry]) => {
    const vars = new Variables(source.env);
    const { headersHelper, oauth, tools } = entry;
    const base = baseOf(name, entry, source, vars);
    const notes = [
      ...(entry.type === "sse" ? ["the old SSE transport"] : []),
      ...(oauth === undefined ? [] : ["signs in with OAuth"]),
      ...(Array.isArray(tools) && tools.length > 0 ? ["its permissions are not imported: tools ask"] : []),
    ];
    const helper = headersHelper === undefined ? null : `a program makes its headers: ${reveal(String(headersHelper))}`;
    return finished({ ...base, headers: vars.of(entry.headers) }, vars, { notes, refused: helper });
  });
}

/** `[mcp_servers.NAME]` of codex. */
export function fromCodex(servers: unknown, source: Source): Candidate[] {
  return entries(servers).map(([name, entry]) => {
    const vars = new Variables(source.env);
    const base = baseOf(name, entry, source, vars);
    const passed = strings(entry.env_vars).flatMap((each) => vars.passed(each));
    const fromVariables = Object.entries(isEntry(entry.env_http_headers) ? entry.env_http_headers : {});
    const bearer =
      typeof entry.bearer_token_env_var === "string" ? vars.passed(entry.bearer_token_env_var, BEARER) : [];
    const headers = {
      ...vars.of(entry.http_headers),
      ...Object.fromEntries(fromVariables.flatMap(([header, from]) => vars.passed(String(from), header))),
      ...Object.fromEntries(bearer.map(([, value]) => [BEARER, `Bearer ${value}`])),
    };
    const allowances = ["enabled_tools", "default_tools_approval_mode", "tools"].some(
      (key) => entry[key] !== undefined,
    );
    const notes = allowances ? ["its permissions are not imported: tools ask"] : [];
    const refused = entry.enabled === false ? "it is disabled there" : null;
    return finished({ ...base, env: { ...base.env, ...Object.fromEntries(passed) }, headers }, vars, {
      notes,
      refused,
    });
  });
}

/** Every server gets a name of its own: an existing one is never changed. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain =
    wanted
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^[^a-z]+/, "")
      .replace(/-+$/, "") || "server";
  for (let number = 1; ; number++) {
    const end = number === 1 ? "" : `-${number}`;
    const name = plain.slice(0, NAME_CHARS - end.length).replace(/-+$/, "") + end;
    if (!taken.has(name)) return name;
  }
}

/** What a person decides about: the whole command or address, and the names of what comes with it and of what it takes. */
export function shownCandidate({ command, url, directory, env, headers, from, notes, refused }: Candidate): string[] {
  const shown = (name: string) => reveal(Object.hasOwn(from, name) ? `${name} (from ${from[name]})` : name);
  const names = (label: string, values: Values) =>
    Object.keys(values).length === 0 ? [] : [`${label}: ${Object.keys(values).map(shown).join(", ")}`];
  return [
    reveal(url ?? command.map(shellWord).join(" ")),
    ...(directory === null ? [] : [`starts in ${reveal(directory)}`]),
    ...names("environment", env),
    ...names("headers", headers),
    ...notes.map((note) => `note: ${note}`),
    ...(refused === null ? [] : [`not imported: ${refused}`]),
  ];
}

function baseOf(name: string, entry: Entry, { path, scope }: Source, vars: Variables) {
  const { command, args, url, cwd } = entry;
  const isRemote = typeof url === "string";
  return {
    ...{ name, source: path, scope, headers: {} },
    command: isRemote ? [] : [command, ...strings(args)].map((word) => vars.open(String(word ?? ""))),
    url: isRemote ? vars.open(url) : null,
    directory: typeof cwd === "string" ? cwd : null,
    env: isRemote ? {} : vars.of(entry.env),
  };
}

function finished(
  base: Omit<Candidate, "from" | "notes" | "refused">,
  vars: Variables,
  { notes, refused }: Pick<Candidate, "notes" | "refused">,
): Candidate {
  const [program = ""] = base.command;
  const nothing = base.url === null && program === "" ? "it has neither a command nor an address" : null;
  return {
    ...base,
    from: Object.fromEntries(vars.used),
    notes: [...notes, ...newestNote(base.command), ...vars.notes],
    refused: refused ?? nothing ?? vars.refused,
  };
}

/** `npx -y server` downloads and runs whatever is published then. */
function newestNote([program = "", ...args]: readonly string[]): string[] {
  const name = program.split("/").at(-1) ?? "";
  const words = name === "pnpm" || name === "yarn" ? args.slice(1) : args;
  if (!(/^(?:npx|bunx|uvx|pipx)$/.test(name) || (words !== args && args[0] === "dlx"))) return [];
  const named = words.find((word) => !word.startsWith("-"));
  if (named === undefined || /.@[\w.^~-]+$|==/.test(named)) return [];
  return [`${reveal(named)} has no version: the latest is downloaded at each start`];
}

/** `${VAR}` and `${VAR:-default}`, as Claude Code expands them. */
class Variables {
  readonly notes: string[] = [];
  /** By the name of what contains them. */
  readonly used = new Map<string, string>();
  refused: string | null = null;

  constructor(private readonly env: Source["env"]) {}

  /** In text that everyone sees. */
  open(text: string): string {
    return this.expanded(text, (name) => {
      if (SECRET_NAME.test(name)) this.refused ??= `its command or address contains ${name}, which looks like a secret`;
    });
  }

  of(values: unknown): Values {
    const given = isEntry(values) ? Object.entries(values) : [];
    const opened = given.map(([name, value]): [string, string] => {
      const contained = new Set<string>();
      const text = this.expanded(String(value), (each) => this.env[each] !== undefined && contained.add(each));
      // A variable that is passed on under its own name is shown by it.
      if (contained.size > 0 && value !== `\${${name}}`) this.used.set(name, [...contained].join(", "));
      return [name, text];
    });
    return Object.fromEntries(opened);
  }

  /** `as`: the variable or header that gets its value. */
  passed(name: string, as = name): [string, string][] {
    const value = this.env[name];
    if (value === undefined) this.notes.push(`${reveal(name)} is not set here`);
    else if (as !== name) this.used.set(as, name);
    return value === undefined ? [] : [[as, value]];
  }

  private expanded(text: string, onName: (name: string) => unknown): string {
    return text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
      onName(name);
      const value = this.env[name] ?? otherwise;
      if (value === undefined) this.notes.push(`${name} is not set here and stays as it is`);
      return value ?? whole;
    });
  }
}

function entries(servers: unknown): [string, Entry][] {
  return Object.entries(isEntry(servers) ? servers : {}).flatMap(([name, entry]) =>
    isEntry(entry) ? [[name, entry] as [string, Entry]] : [],
  );
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : inQuotes(word);
}
