// Histories: proc.compact, proc.segments, proc.search, proc.fork, proc.trace and proc.history.policy.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { initPid } from "../../abi/ids.ts";
import {
  OVERFLOW_POLICIES,
  type OverflowPolicy,
  type ReplacingSetting,
  type Segment,
} from "../../abi/process/segment.ts";
import { isoTime, type When } from "../../lib/text/days.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import { field, syscall, value } from "../define.ts";
import { traceLine } from "../format.ts";
import type { Histories, TraceRow } from "../services.ts";
import {
  type CompactResult,
  type Conversations,
  type Forked,
  type FoundText,
  type PolicyView,
  type SearchResult,
  type SearchService,
  segmentName,
} from "./history-service.ts";

const KEEP_DEFAULT = 20;
const FOUND_DEFAULT = 20;
const SHARE_MIN = 0.01;
const PRESSURE = /^(?:0?\.[0-9]{1,4}|1(?:\.0*)?|[1-9][0-9]?%|100%)$/;

const onePid = field.pid("the process", { positional: true, meta: "PID" });

export const procHistoryCalls = [
  syscall({
    name: "proc.compact",
    summary: "Summarize the older history of a process",
    class: "keyed",
    input: {
      pid: onePid,
      keep: field.withDefault(
        field.int("number of newest messages to keep", { min: 1, max: 100_000, letter: "k", meta: "N" }),
        KEEP_DEFAULT,
      ),
      preview: field.flag("show what would be compacted"),
      undo: field.flag("undo the last compaction if nothing followed"),
    },
    cli: {
      examples: [
        "gsv compact init:1000",
        "gsv compact task:abc123 --keep 20 --preview",
        "gsv compact task:abc123 --undo",
      ],
      print: value(compactText),
    },
    run: ({ conversations }: { conversations: Conversations }, args, context) =>
      conversations.compact(context, { ...args, preview: args.preview === true, undo: args.undo === true }),
  }),

  syscall({
    name: "proc.segments",
    summary: "List the summarized parts of a history",
    class: "read",
    capability: "proc.history",
    input: { pid: field.optional(onePid) },
    cli: {
      examples: ["gsv history segments", "gsv history segments task:abc123"],
      print: {
        kind: "table",
        rows: (result: { segments: readonly Segment[] }) => result.segments,
        empty: "(nothing summarized)",
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
      segments: await histories.segments(caller, args.pid ?? initPid(caller.ownerUid)),
    }),
  }),

  syscall({
    name: "proc.search",
    summary: "Search all histories and archives, newest first",
    class: "wait",
    capability: "proc.history",
    input: {
      words: field.words('words to find: all of them, "a phrase", or a prefix*', {
        positional: true,
        meta: "WORDS...",
      }),
      pid: field.optional(field.pid("only this process, even if it has ended", { meta: "PID" })),
      since: field.optional(field.text("only since: 30m, 2h, 7d or a date", { longest: 40, meta: "WHEN" })),
      limit: field.withDefault(
        field.int("maximum number of results", { min: 1, max: LIMITS.searchMatchesMax, letter: "n", meta: "N" }),
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
        line: foundLine,
        empty: "(nothing found)",
        note: searchNote,
      },
    },
    run: ({ search }: { search: SearchService }, args, context) => search.search(context, args),
  }),

  syscall({
    name: "proc.fork",
    summary: "Copy a process with its history",
    class: "keyed",
    once: "verb",
    input: {
      pid: onePid,
      through: field.optional(field.int("last message to copy (default: the newest)", { min: 1, meta: "MESSAGE" })),
      label: field.optional(field.text("its purpose in a few words", { shortest: 1, longest: 200, meta: "TEXT" })),
    },
    cli: {
      examples: ["gsv fork init:1000", 'gsv fork task:abc123 --through 12 --label "the other way"'],
      print: value((result: Forked) => result.pid),
    },
    run: ({ conversations }: { conversations: Conversations }, args, context) => conversations.fork(context, args),
  }),

  syscall({
    name: "proc.trace",
    summary: "Print the syscalls of a process",
    class: "read",
    capability: "proc.history",
    input: {
      pid: onePid,
      after: field.optional(field.int("only calls with a higher number (default: the newest)", { meta: "ID" })),
      limit: field.withDefault(
        field.int("maximum number of calls", { min: 1, max: LIMITS.historyPageMax, meta: "N" }),
        LIMITS.historyPageMax,
      ),
      waitMs: field.withDefault(
        field.int("milliseconds to wait for the next call", { min: 0, max: 60_000, meta: "MS" }),
        0,
      ),
    },
    cli: {
      examples: ["gsv proc trace task:abc123"],
      print: {
        kind: "list",
        rows: (result: { rows: TraceRow[] }) => result.rows,
        line: traceLine,
        empty: "(no syscalls)",
      },
    },
    run: async ({ histories }: { histories: Histories }, args, context) => ({
      rows: await histories.trace(context, args.pid, args),
    }),
  }),
] as const;

export const historyPolicyCalls = [
  syscall({
    name: "proc.history.policy",
    summary: "Show or set the compaction policy",
    class: "keyed",
    by: "person",
    input: {
      pid: onePid,
      overflow: field.optional(field.choice("when the window is full", OVERFLOW_POLICIES)),
      pressure: field.optional(
        field.text("fill level that triggers compaction: 0.9 or 90%", { shortest: 1, longest: 8, meta: "SHARE" }),
      ),
      keep: field.optional(field.int("number of newest messages to keep", { min: 1, max: 100_000, meta: "N" })),
      unset: field.flag("go back to the default"),
    },
    cli: {
      hidden: true,
      examples: [
        "gsv history policy init:1000",
        "gsv history policy task:abc123 --pressure 80% --keep 40",
        "gsv history policy task:abc123 --overflow fail",
        "gsv history policy task:abc123 --unset",
      ],
      print: value(policyText),
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
    throw new SysError("EINVAL", `pressure must be from 0.01 to 1, such as 0.9 or 90%, not ${clip(written)}`);
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
      return `nothing to compact: ${kept === 0 ? `${pid} has no history yet` : `${pid} keeps all ${counted(kept)}`}`;
    case "undone":
      return `undone: ${pid} has ${range} in full again`;
    case "preview": {
      const quotes = asked.map(({ id, text }) => `  [${id}] ${reveal(text)}`);
      const heard = quotes.length === 0 ? [] : ["your messages in this part:", ...quotes];
      return [
        `would summarize ${counted(trimmed)} (${result.fromSeq}-${result.toSeq}) and keep ${kept}: ${tokens}`,
        ...heard,
      ].join("\n");
    }
    default: {
      const by = model === null ? "; no model wrote a summary" : "";
      return `compacted ${pid}: ${tokens} (${range} summarized, ${kept} kept; full text: ${archivedTo}${by})`;
    }
  }
}

const FULL: { readonly [K in OverflowPolicy]: string } = {
  "auto-compact": "compacts at",
  fail: "fails at",
  manual: "full at",
};

function policyText({ pid, policy, isSet, context }: PolicyView): string {
  const { model, tokens, source, windowTokens, availableTokens, pressure, level, compactsAtTokens } = context;
  const { overflow, keeps, settings } = context;
  const by = (name: ReplacingSetting) => (settings.includes(name) ? ` (${name})` : null);
  const reserved = by("compaction.reserveTokens");
  const share = reserved === null ? policy.compactAtPressure : compactsAtTokens / availableTokens;
  const facts = [
    ["pid", pid],
    ["overflow", `${overflow}${by("compaction.enabled") ?? (isSet ? "" : " (usual)")}`],
    ["pressure", `${Math.round(share * 1000) / 10} %${reserved ?? ""}`],
    [
      "keeps",
      keeps.messages === null
        ? `${count(keeps.tokens)} tokens${by("compaction.keepRecentTokens") ?? ""}`
        : `${counted(keeps.messages)}, at most ${count(keeps.tokens)} tokens`,
    ],
    ["model", `${model}, window ${count(windowTokens)} tokens`],
    ["now", `${count(tokens)} tokens (${source}), ${Math.round(pressure * 100)} % full: ${level}`],
    [FULL[overflow], `${count(compactsAtTokens)} tokens`],
  ];
  return facts.map(([name = "", value = ""]) => `${name.padEnd(12)}${reveal(value)}`).join("\n");
}

function foundLine({ pid, seq, at, role, archiveId, snippet }: FoundText, when: When): string {
  return `${foundHead({ pid, seq, at, role, archiveId }, when)} ${reveal(snippet)}`;
}

/** The process, message number, time and role of a hit. */
export function foundHead(
  { pid, seq, at, role, archiveId }: Omit<FoundText, "snippet" | "hits">,
  when: When = isoTime,
): string {
  const kept = archiveId === null ? "" : " (archived)";
  return `${when(at).slice(0, 16).replace("T", " ")} ${pid} ${seq}${kept} ${role}:`;
}

export function searchNote({ found, more, unread }: SearchResult): string | null {
  const notes = [
    ...(more ? [`more results: use --limit ${found.length * 2}`] : []),
    ...(unread > 0 ? [`${unread} histories are not indexed yet: search again`] : []),
  ];
  return notes.length === 0 ? null : notes.join("; ");
}

function counted(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
