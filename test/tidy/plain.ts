// The plainest rules for texts: a net, not the judge. Manual, README and map: words, openings, headings and the length of sentences. Code:
// words in comments and test titles, and the width of error lines. Each offence shows what to write instead.

import { isCode, isTest, type Tree } from "./tree.ts";

export const WORDS_MAX = 25;
/** Of 80 columns, less the `gsv: ` before them. */
export const ERROR_COLUMNS_MAX = 75;

/** Words that a colleague at a desk would not say, each with what to say. */
export const FORBIDDEN: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bmend(?:s|ed|ing)?\b/i, "fix, repair"],
  [/\banew\b/i, "again"],
  [/\b(?:whoever|whomever|whosoever)\b/i, "name the person"],
  [/\b(?:thereof|wherein|thereby|whereby|hitherto|hereby)\b/i, "say it plainly"],
  [/\bfor want of\b/i, "because ... is missing"],
  [/\bof (?:its|their|his|her) own accord\b/i, "automatically"],
  [/\ball the same\b/i, "leave it out, or still"],
  [/\bbut for\b/i, "except"],
  [/\bshould (?:it|they|one|something|anything|somebody|someone|events)\b/i, "if"],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, "gets, receives"],
  [/\bwhat (?:is|was|were) (?:said|told|asked|used|stored|printed)\b/i, "messages, usage, output: use the noun"],
  [/\bwhat (?:he|she|they|one|people|a person) (?:say|says|said|type|types|typed)\b/i, "use the noun"],
  [/\bone's\b/i, "your"],
];

/** The manual is stricter: it is read by people who know nothing of gsv yet. */
const FORBIDDEN_IN_PROSE: typeof FORBIDDEN = [
  ...FORBIDDEN,
  [/\bnobody\b/i, "no one, no person"],
  [/\bbeside\b/i, "next to, besides"],
  [/\bthis machine\b/i, "this computer"],
  [/\b(?:goes|go|went|going) on\b/i, "continues, resumes"],
  [/\btak(?:e|es|ing|en) (?:it |them )?away\b/i, "remove"],
  [/\band (?:no more|nothing else)\b/i, "say the limit"],
  [/\bwhose\b/i, "of which, with"],
  [/\bcolour/i, "color"],
];

const OPENINGS =
  /^(?:What|Whatever|Whichever|Who|Of (?:a|an|the|those|these)|Those|Should|Were|Where|Therefore|Hence)\b/;
// "How gsv differs" is what a reader who compares looks for.
const HEADINGS = /^(?:What|When|Why|How(?! gsv differs)|Which|Where|Who|Whose)\b/;

export interface Prose {
  readonly headings: readonly string[];
  readonly sentences: readonly string[];
}

/** Headings and sentences of a page; code, tables and comments are left out, and code within a line counts as one word. */
export function proseOf(markdown: string): Prose {
  const plain = markdown
    .replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "\n")
    .replace(/<!--[\s\S]*?-->/g, "\n")
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`[^`\n]+`(?:(?:,| and| or)? `[^`\n]+`)*/g, "CODE")
    .replaceAll("**", "");
  const headings: string[] = [];
  const texts: string[] = [];
  for (const block of plain.split(/\n\s*\n|\n(?=- |\d+\. |\||#)/)) {
    const text = block.replace(/\s+/g, " ").trim();
    if (text.startsWith("#")) headings.push(text.replace(/^#+ /, ""));
    else if (text !== "" && !text.startsWith("|")) texts.push(text.replace(/^(?:- |\d+\. )/, ""));
  }
  const sentences = texts.flatMap((text) => text.split(/(?<=[.?!])\s+|\s+·\s+/));
  return { headings, sentences };
}

export function proseOffences(path: string, markdown: string): string[] {
  const { headings, sentences } = proseOf(markdown);
  return [
    ...headings.flatMap((heading) => [
      ...(HEADINGS.test(heading) ? [`${path}: "${heading}": a heading is a task or a noun`] : []),
      ...forbiddenIn(heading, FORBIDDEN_IN_PROSE).map((fault) => `${path}: ${fault}`),
    ]),
    ...sentences.flatMap((sentence) => {
      const words = sentence.split(" ").filter((word) => /\w/.test(word)).length;
      return [
        ...(words > WORDS_MAX ? [`${path}: ${words} words, at most ${WORDS_MAX}: ${sentence}`] : []),
        ...(OPENINGS.test(sentence) ? [`${path}: begin with the subject: ${sentence}`] : []),
        ...((sentence.match(/;/g)?.length ?? 0) > 1
          ? [`${path}: two semicolons make three sentences: ${sentence}`]
          : []),
        ...forbiddenIn(sentence, FORBIDDEN_IN_PROSE).map((fault) => `${path}: ${fault}`),
      ];
    }),
  ];
}

function forbiddenIn(text: string, words: typeof FORBIDDEN): string[] {
  return words.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}" (write: ${instead}) in: ${text}`];
  });
}

/** Comments of the product, and titles and comments of tests. */
export function commentOffences(tree: Tree): string[] {
  const offences: string[] = [];
  for (const { path, text } of tree.values()) {
    if (!isCode(path)) continue;
    for (const [at, line] of text.split("\n").entries()) {
      const words = writtenIn(line, isTest(path));
      if (words === "") continue;
      offences.push(...forbiddenIn(words, FORBIDDEN).map((fault) => `${path}:${at + 1}: ${fault}`));
    }
  }
  return offences;
}

function writtenIn(line: string, inTest: boolean): string {
  const comment = /^\s*(?:\/\/|\/?\*\*?)\s?(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1];
  if (comment !== undefined) return comment;
  if (!inTest) return "";
  return /\b(?:test|describe|scene)(?:\.\w+(?:\([^)]*\))?)*\(\s*"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? "";
}

/** First lines of errors that are written as one literal. */
export function errorLineOffences(tree: Tree): string[] {
  const offences: string[] = [];
  const LITERAL = /new SysError\(\s*"[A-Z]+",\s*"((?:[^"\\]|\\.)*)"|usageError\(\s*\w+,\s*"((?:[^"\\]|\\.)*)"/g;
  for (const { path, text } of tree.values()) {
    if (!isCode(path) || isTest(path)) continue;
    for (const [, ofError, ofUsage] of text.matchAll(LITERAL)) {
      const line = (ofError ?? ofUsage ?? "").split("\\n")[0] ?? "";
      if (line.length > ERROR_COLUMNS_MAX)
        offences.push(`${path}: an error line of ${line.length} columns, at most ${ERROR_COLUMNS_MAX}: ${line}`);
    }
  }
  return offences;
}

const SUMMARY_WORDS_MAX = 8;
/** Words that a help line may not begin with: it begins with a verb, as an order. */
const NO_ORDER = /^(?:The|A|An|What|Who|Which|How|All|Every|Your|Of|In|On|By|It|This|That|\w+ing|\w+ed)\b/;

/** One line of help: an order of at most eight words, with no clause after a semicolon. */
export function helpLineOffences(name: string, summary: string): string[] {
  const words = summary.split(/\s+/).length;
  return [
    ...(words > SUMMARY_WORDS_MAX ? [`${name}: ${words} words, at most ${SUMMARY_WORDS_MAX}: ${summary}`] : []),
    ...(!/^[A-Z]/.test(summary) || NO_ORDER.test(summary) ? [`${name}: begin with a verb: ${summary}`] : []),
    ...(/[.;]/.test(summary.replace(/\w\.\w/g, "")) ? [`${name}: one clause, no full stop: ${summary}`] : []),
    ...forbiddenIn(summary, FORBIDDEN_IN_PROSE).map((fault) => `${name}: ${fault}`),
  ];
}
