// proc.compact, proc.segments, proc.fork and proc.history.policy: what a model is told of a history, and a history told anew.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { OVERFLOW_POLICIES, type Segment } from "../../abi/process/segment.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import { field, syscall } from "../define.ts";
import type { Histories } from "../services.ts";
import type {
  CompactResult,
  Conversations,
  Forked,
  FoundText,
  PolicyView,
  SearchResult,
  SearchService,
} from "./history-service.ts";
import { segmentName } from "./history-service.ts";

const KEEP_DEFAULT = 20;
const FOUND_DEFAULT = 20;
const SHARE_MIN = 0.01;
const PRESSURE = /^(?:0?\.[0-9]{1,4}|1(?:\.0*)?|[1-9][0-9]?%|100%)$/;

const onePid = field.pid("the process", { positional: true, meta: "PID" });

export const procHistoryCalls = [
  syscall({
    name: "proc.compact",
    summary: "Tell a model the older part of a history in short; nothing of it is deleted",
    class: "keyed",
    once: "answer",
    input: {
      pid: onePid,
      keep: field.withDefault(
        field.int("how many of the newest messages stay as they are", { min: 1, max: 100_000, letter: "k", meta: "N" }),
        KEEP_DEFAULT,
      ),
      preview: field.flag("only say what would go"),
      undo: field.flag("take the last compaction back, while nothing was said since"),
    },
    cli: {
      examples: [
        "gsv compact init:1000",
        "gsv compact task:abc123 --keep 20 --preview",
        "gsv compact task:abc123 --undo",
      ],
      print: { kind: "value", text: compactText },
    },
    run: ({ conversations }: { conversations: Conversations }, args, context) =>
      conversations.compact(context, { ...args, preview: args.preview === true, undo: args.undo === true }),
  }),

  syscall({
    name: "proc.segments",
    summary: "List the parts of a history that are told in short",
    class: "read",
    capability: "proc.history",
    input: { pid: onePid },
    cli: {
      examples: ["gsv history segments init:1000"],
      print: {
        kind: "table",
        rows: (result: { segments: readonly Segment[] }) => result.segments,
        empty: "(nothing is told in short)",
        columns: [
          { head: "MESSAGES", cell: (row: Segment) => segmentName(row) },
          { head: "SUMMARY", cell: (row: Segment) => String(row.summarySeq), align: "right" },
          { head: "TOKENS", cell: (row: Segment) => `${count(row.tokensBefore)} → ${count(row.tokensAfter)}` },
          { head: "WHY", minor: 1, cell: (row: Segment) => row.cause },
          { head: "BY", minor: 2, cell: (row: Segment) => row.model ?? "-", shrink: true },
          { head: "UNDONE", cell: (row: Segment) => (row.undoneAt === null ? "-" : "yes") },
          { head: "AGE", since: (row: Segment) => row.createdAt, align: "right" },
        ],
      },
    },
    run: async ({ histories }: { histories: Histories }, args, { caller }) => ({
      segments: await histories.segments(caller, args.pid),
    }),
  }),

  syscall({
    name: "proc.search",
    summary: "Find what was said, in all your histories and archives, newest first",
    class: "wait",
    capability: "proc.history",
    input: {
      words: field.words('what to look for: all words, "in this order", or begin*', {
        positional: true,
        meta: "WORDS...",
      }),
      pid: field.optional(field.pid("only of this process, which may have ended", { meta: "PID" })),
      since: field.optional(field.text("only the last 30m, 2h or 7d, or since a day", { longest: 40, meta: "WHEN" })),
      limit: field.withDefault(
        field.int("how many at most", { min: 1, max: LIMITS.searchMatchesMax, letter: "n", meta: "N" }),
        FOUND_DEFAULT,
      ),
    },
    cli: {
      examples: [
        "gsv history search rent friday",
        "gsv history search '\"rent is due\"' --since 7d",
        "gsv history search 'compil*' --pid init:1000 --json",
      ],
      print: {
        kind: "list",
        rows: (result: SearchResult) => result.found,
        line: (row: FoundText) => foundLine(row),
        empty: "(nothing found)",
        note: searchNote,
      },
    },
    run: ({ search }: { search: SearchService }, args, context) => search.search(context, args),
  }),

  syscall({
    name: "proc.fork",
    summary: "Start a new process with the history of another; prints its pid",
    class: "keyed",
    input: {
      pid: onePid,
      through: field.optional(
        field.int("the last message it has; all of them when left out", { min: 1, meta: "MESSAGE" }),
      ),
      label: field.optional(field.text("what it is for, in a few words", { shortest: 1, longest: 200, meta: "TEXT" })),
    },
    cli: {
      examples: ["gsv fork init:1000", 'gsv fork task:abc123 --through 12 --label "the other way"'],
      print: { kind: "value", text: (result: Forked) => result.pid },
    },
    run: ({ conversations }: { conversations: Conversations }, args, context) => conversations.fork(context, args),
  }),
] as const;

export const historyPolicyCalls = [
  syscall({
    name: "proc.history.policy",
    summary: "Show or set what is done when a history fills the window of its model",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid: onePid,
      overflow: field.optional(field.choice("make room, end the run, or do nothing", OVERFLOW_POLICIES)),
      pressure: field.optional(
        field.text("how full the window may be: 0.9 or 90%", { shortest: 1, longest: 8, meta: "SHARE" }),
      ),
      keep: field.optional(
        field.int("how many of the newest messages stay as they are", { min: 1, max: 100_000, meta: "N" }),
      ),
      unset: field.flag("leave it to gsv again"),
    },
    cli: {
      hidden: true,
      examples: [
        "gsv history policy init:1000",
        "gsv history policy task:abc123 --pressure 80% --keep 40",
        "gsv history policy task:abc123 --overflow fail",
        "gsv history policy task:abc123 --unset",
      ],
      print: { kind: "value", text: policyText },
    },
    run: ({ conversations }: { conversations: Conversations }, { pid, unset, ...args }, context) => {
      const change = {
        ...(args.overflow === undefined ? {} : { overflow: args.overflow }),
        ...(args.pressure === undefined ? {} : { compactAtPressure: shareOf(args.pressure) }),
        ...(args.keep === undefined ? {} : { keepLast: args.keep }),
      };
      const isChange = Object.keys(change).length > 0;
      return conversations.policy(context, { pid, change: isChange ? change : null, unset: unset === true });
    },
  }),
] as const;

function shareOf(text: string): number {
  const written = text.trim();
  if (!PRESSURE.test(written))
    throw new SysError("EINVAL", `pressure must be a share from 0.01 to 1, as 0.9 or 90%, not ${clip(written)}`);
  const share = written.endsWith("%") ? Number(written.slice(0, -1)) / 100 : Number(written);
  if (share < SHARE_MIN) throw new SysError("EINVAL", `pressure must be at least ${SHARE_MIN}`);
  return share;
}

function compactText({ pid, did, ...result }: CompactResult): string {
  const { trimmed, kept, tokensBefore, tokensAfter, model, archivedTo, asked } = result;
  const tokens = `${count(tokensBefore)} → ${count(tokensAfter)} tokens`;
  const range = `messages ${result.fromSeq}-${result.toSeq}`;
  switch (did) {
    case "nothing":
      return `nothing to compact: ${kept === 0 ? `${pid} has no history yet` : `all that is told of ${pid} stays (${counted(kept)})`}`;
    case "undone":
      return `undone: ${pid} is told ${range} word for word again`;
    case "preview": {
      const quotes = asked.map(({ id, text }) => `  [${id}] ${reveal(text)}`);
      const heard = quotes.length === 0 ? [] : ["what was asked in them:", ...quotes];
      return [
        `would tell ${counted(trimmed)} in short (${result.fromSeq}-${result.toSeq}) and keep ${kept}: ${tokens}`,
        ...heard,
      ].join("\n");
    }
    default: {
      const by = model === null ? "; nobody could write a summary, so it only says what is left out" : "";
      return `compacted ${pid}: ${tokens} (${range} told in short, ${kept} kept; word for word: ${archivedTo}${by})`;
    }
  }
}

function policyText({ pid, policy, isSet, context }: PolicyView): string {
  const { overflow, compactAtPressure, keepLast } = policy;
  const { model, tokens, source, windowTokens, pressure, level, compactsAtTokens } = context;
  const facts = [
    ["pid", pid],
    ["overflow", `${overflow}${isSet ? "" : " (usual)"}`],
    ["pressure", `${Math.round(compactAtPressure * 1000) / 10} %`],
    ["keeps", `${keepLast} messages`],
    ["model", `${model}, window of ${count(windowTokens)} tokens`],
    ["now", `${count(tokens)} tokens (${source}), ${Math.round(pressure * 100)} % full: ${level}`],
    [overflow === "fail" ? "fails at" : "compacts at", `${count(compactsAtTokens)} tokens`],
  ];
  return facts.map(([name = "", value = ""]) => `${name.padEnd(12)}${reveal(value)}`).join("\n");
}

function foundLine({ pid, seq, at, role, archiveId, snippet }: FoundText): string {
  return `${foundHead({ pid, seq, at, role, archiveId })} ${reveal(snippet)}`;
}

/** Where a message is that was found. */
export function foundHead({ pid, seq, at, role, archiveId }: Omit<FoundText, "snippet" | "hits">): string {
  const kept = archiveId === null ? "" : " (archived)";
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} ${pid} ${seq}${kept} ${role}:`;
}

export function searchNote({ found, more, unread }: SearchResult): string | null {
  const notes = [
    ...(more ? [`more were found: --limit ${found.length * 2} shows more of them`] : []),
    ...(unread > 0 ? [`${unread} histories were not read yet: search again`] : []),
  ];
  return notes.length === 0 ? null : notes.join("; ");
}

function counted(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
