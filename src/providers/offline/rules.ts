// Simple orders, recognized by exact patterns; anything else is a question for the manual. When in doubt it is a question: nothing is
// changed on a guess, so a path must look like one (slash, dot and extension, ~, quotes, or the word "file" before it). Pure.

import type { ToolCall, ToolResultContent } from "../../abi/process/message.ts";

export interface PlannedCall {
  readonly name: string;
  readonly args: { readonly [key: string]: unknown };
}

export interface Exchange {
  readonly call: ToolCall;
  readonly result: ToolResultContent;
}

export type Intent =
  | { readonly kind: "calls"; readonly calls: readonly PlannedCall[] }
  | { readonly kind: "greeting" | "help" | "thanks" | "question" };

/** /proc/<pid>/status has `State:` and `Name:` lines. */
export const RUNNING_CALLS: readonly PlannedCall[] = [
  { name: "Search", args: { query: "State:", path: "/proc", include: "status" } },
  { name: "Search", args: { query: "Name:", path: "/proc", include: "status" } },
];

const QUOTED = String.raw`"[^"]+"|'[^']+'|“[^”]+”|\x60[^\x60]+\x60`;
const PATH = String.raw`(?<path>${QUOTED}|\S+?)`;
const FILE = `(?:the )?(?:(?:new )?(?<named>file|directory|folder) )?${PATH}`;
// For reading, a bare word may be a file name, unless it has another meaning here.
const NOT_FILES =
  /^(?:it|this|that|more|everything|all|me|files?|help|histor(?:y|ies)|archives?|conversations?|messages?|logs?|docs|documentation|manual|processe?s?|approvals?|tasks?|agents?|commands?|data)$/i;

const RUN = new RegExp(
  `^(?:(?:please|can you|could you|now) )?(?:run|execute)(?:(?: the)? (?:shell )?command)?:? (?<text>${QUOTED}|.+?)(?<host> on (?:the |my )?(?:host|machine|computer))?$`,
  "is",
);
const ON_HOST = /^(?<order>.+?),? on (?:the |my |this )?(?:host|machine|computer)$/is;
/** An unquoted command must look like one: "run the tests for me" is a question. */
const STARTS_COMMAND = /^[\w./~-]+(?:=\S*)?(?:\s|$)/;
const SPOKEN =
  /^(?:an?|the|it|this|that|these|those|my|some\w*|any\w*|all|every\w*|two|three|several|many|more|again|away|out|in|on|as|with|without|how|what|when|for|to|by|at|me|you|commands?|process\w*|tasks?|agents?|tests?|scripts?|code|work|jobs?|programs?)\b/i;

type Groups = { readonly [name: string]: string | undefined };
type Rule = readonly [pattern: RegExp, intent: (groups: Groups) => Intent | null];

const RULES: readonly Rule[] = [
  [
    /^(?:hello|hi|hey|howdy|greetings|good (?:morning|day|afternoon|evening))(?:,? (?:there|gsv|you|all))?$/i,
    () => word("greeting"),
  ],
  [
    /^(?:help|help me|\?+|usage|what can (?:you|i) (?:do|say|ask)(?: you)?(?: here)?|how does (?:this|it) work|what(?:['’]?s| is) (?:this|it)(?: for)?|(?:who|what) are you|tell me about yourself|are you (?:a |an )?(?:real )?(?:model|ai|llm|bot|robot|human|person))$/i,
    () => word("help"),
  ],
  [
    /^(?:ok(?:ay)?,? )?(?:thanks?|thank you|thx|cheers|great|nice|perfect|ok(?:ay)?|bye|goodbye)(?: (?:a lot|very much|you|gsv))?$/i,
    () => word("thanks"),
  ],
  [
    /^(?:(?:show|tell|list|see)(?: me)? )?(?:what|who)(?:['’]?s| is| are)(?: currently| now)? running(?: (?:now|right now|here|currently))?$/i,
    running,
  ],
  [
    /^(?:show|list|see|print)(?: me)?(?: all)?(?: of)?(?: the| my)?(?: running)? (?:processes|tasks|agents)(?: running)?$/i,
    running,
  ],
  [/^(?:what|which) (?:processes|tasks|agents) (?:are (?:there|running)|do i have|exist)(?: now| running)?$/i, running],
  [/^(?:ps|(?:all |my )?(?:running )?processes|what (?:is|are) my (?:processes|tasks|agents) doing)$/i, running],
  [new RegExp(`^write (?:to|into) ${FILE}:?\\s+(?<text>.+)$`, "is"), write],
  [new RegExp(`^(?:write|save|put|store) (?<text>.+) (?:to|into) ${FILE}$`, "is"), write],
  [new RegExp(`^(?:save|put|store) (?<text>.+) (?:in|as|at) ${FILE}$`, "is"), write],
  [
    new RegExp(
      `^(?:create|make|write) (?:a |the )?(?:new )?(?<named>file) (?:called |named )?${PATH} (?:with|containing|saying)(?: the)?(?: text| content| words)?:? (?<text>.+)$`,
      "is",
    ),
    write,
  ],
  [
    new RegExp(
      `^(?:replace|change) (?<old>${QUOTED}|\\S+) (?:with|by|to|into) (?<new>${QUOTED}|\\S+) in ${FILE}$`,
      "is",
    ),
    edit,
  ],
  [new RegExp(`^(?:delete|remove|erase|rm) ${FILE}$`, "i"), remove],
  [new RegExp(`^(?:search|grep) ${FILE} for (?<text>.+)$`, "i"), find],
  [new RegExp(`^grep (?<text>${QUOTED}|\\S+) ${PATH}$`, "i"), find],
  [
    new RegExp(
      `^(?:find|search for|search|grep for|grep|look for) (?<text>.+) (?:in|under|below|inside) ${FILE}$`,
      "i",
    ),
    find,
  ],
  [/^(?:find|search for|grep for|grep|look for) (?<text>.+?)(?: in (?:all |my |the )*files)?$/i, findAnywhere],
  [
    /^(?:ls|dir|list|(?:list|show)(?: me)?(?: all| the| my)* files(?: here)?|what files (?:are (?:there|here)|do i have))$/i,
    () => read("."),
  ],
  [
    new RegExp(`^(?:list|show|ls|dir)(?: me)?(?: all| the| my)* files (?:in|of|under|at) ${FILE}$`, "i"),
    (groups) => read(unquote(groups.path)),
  ],
  [new RegExp(`^(?:list|ls|dir)(?: (?:in|of|under))? ${FILE}$`, "i"), readable],
  [
    new RegExp(`^(?:show|open|print|display|what(?:['’]?s| is) in)(?: me)?(?: the)?(?: contents? of)? ${FILE}$`, "i"),
    readable,
  ],
  [new RegExp(`^(?:read|cat)(?: me)?(?: the)?(?: contents? of)? ${FILE}$`, "i"), readLoosely],
];

export function intentOf(message: string): Intent {
  const order = bare(message);
  if (order === "") return word("greeting");
  // Commands first: they may contain what the rules below match.
  const command = commandIn(message);
  if (command !== null) return command;
  const onHost = ON_HOST.exec(order)?.groups?.order;
  const there = onHost === undefined ? null : orderOf(onHost);
  if (there?.kind === "calls" && there.calls !== RUNNING_CALLS)
    return { kind: "calls", calls: there.calls.map(({ name, args }) => ({ name, args: { ...args, target: "host" } })) };
  return orderOf(order) ?? word("question");
}

function orderOf(order: string): Intent | null {
  for (const [pattern, intent] of RULES) {
    const match = pattern.exec(order);
    const found = match === null ? null : intent(match.groups ?? {});
    if (found !== null) return found;
  }
  return null;
}

/** `run ls /proc`, `run "npm test" on the host`: quoted, or up to the end of the line. */
function commandIn(message: string): Intent | null {
  const { text = "", host } = RUN.exec(message.trim())?.groups ?? {};
  const escaped = /^"((?:[^"\\]|\\.)+)"$/s.exec(text)?.[1]?.replaceAll('\\"', '"');
  const command = escaped ?? unquote(text).trim();
  if (command === "" || (command === text && !isCommand(command))) return null;
  return call("Shell", { command, ...(host === undefined ? {} : { target: "host" }) });
}

function isCommand(text: string): boolean {
  return STARTS_COMMAND.test(text) && !SPOKEN.test(text);
}

// Removes politeness. A full stop may be part of a path (`list ..`): remove it only after a word or quote.
function bare(message: string): string {
  return message
    .trim()
    .replace(/^(?:(?:please|kindly|ok(?:ay)?|now|hey gsv|gsv)[,:]? +)+(?=\S)/i, "")
    .replace(/^(?:hello|hi|hey)(?: there)?[,.!]? +(?=\S+ \S)/i, "")
    .replace(/^(?:can|could|would|will) you (?:please |kindly )?/i, "")
    .replace(/^i(?:['’]d| would) like you to /i, "")
    .replace(/(?<! ),? +(?:please|for me)(?=[.!?]*$)/i, "")
    .replace(/(?<=[\p{L}\p{N}"'”\x60])[.!?]+$/u, "");
}

function word(kind: "greeting" | "help" | "thanks" | "question"): Intent {
  return { kind };
}

function call(name: string, args: PlannedCall["args"]): Intent {
  return { kind: "calls", calls: [{ name, args }] };
}

function running(): Intent {
  return { kind: "calls", calls: RUNNING_CALLS };
}

function read(path: string): Intent {
  return call("Read", { path });
}

function readable(groups: Groups): Intent | null {
  return isClearlyPath(groups) ? read(unquote(groups.path)) : null;
}

function readLoosely(groups: Groups): Intent | null {
  return isClearlyPath(groups) || !NOT_FILES.test(groups.path ?? "") ? read(unquote(groups.path)) : null;
}

function write(groups: Groups): Intent | null {
  return isClearlyPath(groups) ? call("Write", { path: unquote(groups.path), content: unquote(groups.text) }) : null;
}

function edit(groups: Groups): Intent | null {
  if (!isClearlyPath(groups)) return null;
  const args = { path: unquote(groups.path), oldString: unquote(groups.old), newString: unquote(groups.new) };
  return call("Edit", args);
}

function remove(groups: Groups): Intent | null {
  return isClearlyPath(groups) ? call("Delete", { path: unquote(groups.path) }) : null;
}

function find(groups: Groups): Intent | null {
  return isClearlyPath(groups) ? call("Search", { query: unquote(groups.text), path: unquote(groups.path) }) : null;
}

// "find deadline" is a search; "find my old conversations" is a question.
function findAnywhere(groups: Groups): Intent | null {
  const text = groups.text ?? "";
  const isPlain =
    new RegExp(`^(?:${QUOTED})$`).test(text) ||
    (!/^(?:out|my|the|a|an|all|old|me|where|how|what|which)\b/i.test(text) && text.split(/\s+/).length <= 3);
  return isPlain ? call("Search", { query: unquote(text) }) : null;
}

function isClearlyPath({ path = "", named }: Groups): boolean {
  if (named !== undefined || unquote(path) !== path) return true;
  return !path.includes("@") && (/^(?:~|\.{1,2}$)|\//.test(path) || /[^.]\.[a-z0-9]{1,8}$/i.test(path));
}

function unquote(text = ""): string {
  const match = new RegExp(`^(?:${QUOTED})$`, "s").exec(text.trim());
  return match === null ? text : text.trim().slice(1, -1);
}
