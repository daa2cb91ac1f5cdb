// policy.*: rules for what agents may do without asking. Anyone may read them; only people change them.

import { ACTIONS, type Mode, type Rule, type StandingRule, TAGS } from "../../abi/policy.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { type CallContext, field, syscall, value } from "../define.ts";
import { SHELL_TARGETS } from "../run/shell-service.ts";

export interface ShownRule {
  /** Id of a saved rule, else policy name and number. */
  readonly id: string;
  readonly rule: Rule;
  /** The workspace or directory it holds in; null for everywhere. */
  readonly place: string | null;
  /** The directory of the workspace, if it is one of the host. */
  readonly directory?: string;
  readonly by: string;
  readonly createdAt: number | null;
}

export interface NewRule {
  readonly action: Rule["action"];
  readonly match: string;
  readonly target?: string;
  readonly command?: string;
  readonly path?: string;
  readonly tag?: string;
  readonly place?: string;
}

interface ExplainRequest {
  readonly command: string;
  readonly target: string;
  readonly cwd?: string;
  readonly network?: boolean;
  readonly pid?: string;
}

interface ExplainedPart {
  readonly text: string;
  readonly tags: readonly string[];
  readonly action: string;
  readonly by: string;
}

export interface Explained {
  readonly pid: string;
  readonly mode: Mode;
  readonly action: "auto" | "ask" | "deny" | "refuse";
  /** A short description of the outcome. */
  readonly what: string;
  readonly reasons: readonly string[];
  readonly parts: readonly ExplainedPart[];
}

export interface ProcessMode {
  readonly pid: string;
  readonly mode: Mode;
}

export interface PolicyService {
  list(context: CallContext): Promise<{ readonly rules: readonly ShownRule[] }>;
  add(context: CallContext, rule: NewRule): Promise<StandingRule>;
  revoke(context: CallContext, id: string): Promise<{ readonly id: string }>;
  explain(context: CallContext, request: ExplainRequest): Promise<Explained>;
  mode(context: CallContext, pid: string, mode?: Mode): Promise<ProcessMode>;
  /** The mode in which the calling process carries out its accepted plan. */
  planAccepted(context: CallContext): Promise<ProcessMode>;
}

interface Listed {
  readonly rules: readonly ShownRule[];
}

const CALL_WORDS: { readonly [call: string]: string } = {
  "shell.exec": "run",
  "fs.write": "write",
  "fs.edit": "edit",
  "fs.delete": "delete",
};

/** `run npm install * on host`; a rule with other conditions as it is stored. */
function aboutText({ rule: { match, target, when = {} } }: ShownRule): string {
  const on = target === undefined ? "" : ` on ${target}`;
  const { argEquals = {}, argPrefix = {}, ...rest } = when;
  const { command, path, network, ...others } = { ...argEquals, ...argPrefix };
  const isPlain = Object.keys(rest).length === 0 && Object.keys(others).length === 0;
  const exact = argEquals.command ?? argEquals.path;
  const subject = exact ?? (command === undefined ? path && `${path}/*` : `${command} *`);
  const verb = CALL_WORDS[match];
  if (!isPlain || verb === undefined || subject === undefined || (command !== undefined && path !== undefined))
    return reveal(`${match}${on}${Object.keys(when).length === 0 ? "" : ` ${JSON.stringify(when)}`}`);
  return reveal(`${verb} ${subject}${on}${network === "true" ? ", with the network" : ""}`);
}

const WORD = { auto: "runs", ask: "asks", deny: "is denied", refuse: "is refused" } as const;

function explainedText({ pid, mode, action, what, reasons, parts }: Explained): string {
  const lines = parts.map(({ action: each, text, tags, by }: ExplainedPart) => {
    const known = tags.length === 0 ? "" : ` [${tags.join(" ")}]`;
    return `  ${each.padEnd(5)} ${text}${known}: ${by}`;
  });
  const others = reasons.filter((reason) => !parts.some(({ by }) => reason.endsWith(by)));
  return [
    `it ${WORD[action]} (${pid}, mode ${mode})`,
    ...(what === "" ? [] : [`  to ${reveal(what)}`]),
    ...lines,
    ...others.map((reason) => `  because ${reveal(reason)}`),
  ].join("\n");
}

export const policyCalls = [
  syscall({
    name: "policy.list",
    summary: "List approval rules",
    class: "wait",
    input: {},
    cli: {
      examples: ["gsv policy list", "gsv policy list --json"],
      print: {
        kind: "table",
        rows: (result: Listed) => result.rules,
        empty: "(no rules; the defaults apply)",
        columns: [
          { head: "ID", cell: (row: ShownRule) => row.id },
          { head: "ACTION", cell: (row: ShownRule) => row.rule.action },
          { head: "BY", cell: (row: ShownRule) => row.by },
          { head: "AGE", since: (row: ShownRule) => row.createdAt ?? 0, align: "right" },
          { head: "WHERE", cell: (row: ShownRule) => row.directory ?? row.place ?? "everywhere", shrink: true },
          { head: "WHAT", cell: aboutText, below: true },
        ],
      },
    },
    run: ({ policy }: { policy: PolicyService }, _args, context) => policy.list(context),
  }),

  syscall({
    name: "policy.add",
    summary: "Add an approval rule",
    class: "keyed",
    by: "person",
    input: {
      action: field.choice("action", ACTIONS, { positional: true }),
      match: field.withDefault(field.text("a syscall, domain.* or *", { longest: 100, meta: "CALL" }), "shell.exec"),
      target: field.optional(field.text("gsv, host or targets/* (default: any)", { longest: 100 })),
      command: field.optional(
        field.text("first words of the commands", { longest: 2000, positional: true, meta: "WORDS" }),
      ),
      path: field.optional(field.text("file, or directory with everything in it", { longest: 4096, meta: "PATH" })),
      tag: field.optional(field.choice("kind of command", TAGS)),
      place: field.optional(field.text("only in this workspace or directory", { longest: 4096, meta: "PLACE" })),
    },
    cli: {
      examples: [
        "gsv policy add auto 'npm test' --target host",
        "gsv policy add deny 'git push'",
        "gsv policy add ask --match fs.write --path /home/sam/letters",
      ],
      print: value(({ id }: { readonly id: string }) => id),
    },
    run: ({ policy }: { policy: PolicyService }, args, context) => policy.add(context, args),
  }),

  syscall({
    name: "policy.revoke",
    summary: "Remove a rule",
    class: "keyed",
    by: "person",
    input: { id: field.text("rule id from gsv policy list", { positional: true, longest: 40, meta: "ID" }) },
    cli: { examples: ["gsv policy rm r5m2"], print: value(({ id }: { readonly id: string }) => `removed ${id}`) },
    run: ({ policy }: { policy: PolicyService }, args, context) => policy.revoke(context, args.id),
  }),

  syscall({
    name: "policy.explain",
    summary: "Explain what would happen to a command",
    class: "wait",
    input: {
      command: field.text("the command, in quotes", { positional: true, longest: 64 * 1024, meta: "COMMAND" }),
      target: field.withDefault(field.choice("target", SHELL_TARGETS), "gsv"),
      cwd: field.optional(field.text("working directory (host only)", { longest: 4096, meta: "DIRECTORY" })),
      network: field.flag("with network access"),
      pid: field.optional(field.pid("the process (default: your init)", { meta: "PID" })),
    },
    cli: {
      examples: ["gsv policy explain 'rm -rf build' --target host", "gsv policy explain 'ls; curl example.org'"],
      print: value(explainedText),
    },
    run: ({ policy }: { policy: PolicyService }, args, context) => policy.explain(context, args),
  }),
] as const;
