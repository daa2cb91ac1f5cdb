// `tail -f FILE | while read -r line; do …; done`: a program that does not end by itself runs while the loop reads it, and ends with it.
// The loop's `read` gets one line at a time. Pure.

import { isWordTwice } from "../interpreter/script-file.ts";
import { NEXT, OWN } from "../programs/internal-words.ts";
import {
  group,
  holds,
  isNode,
  literal,
  literalName,
  type Node,
  quotedParameter,
  simple,
  statementOf,
  textsIn,
} from "./nodes.ts";

export interface LoopRules {
  readonly parse: (text: string) => readonly Node[];
  readonly nextChain: () => string;
  readonly isProgram: (command: Node) => boolean;
}

/** Programs that print until they are ended, with their flags. */
const ENDLESS: { readonly [name: string]: RegExp | null } = {
  ...{ yes: null, watch: null, events: null },
  ...{ tail: /^(?:-\w*[fF]|--follow)/, logs: /^(?:-\w*f|--follow)/, strace: null },
};
/** Options of `read` that do not read a line. */
const OTHER_READ = /^-\w*[utnNde]/;

/** The replacement of all commands of the pipe; null if it does not apply. */
export function liveLoop(commands: readonly Node[], rules: LoopRules): Node | null {
  const loop = commands.at(-1);
  const [first, ...rest] = commands.slice(0, -1);
  if (loop === undefined || first === undefined || !["While", "Until"].includes(loop.type)) return null;
  const programs = [first, ...rest];
  if (!isEndless(first) || !programs.every((each) => isPlain(each, rules)) || holds(loop.condition, isOtherRead))
    return null;
  if ((loop.redirections as readonly Node[]).some(({ operator }) => String(operator).startsWith("<"))) return null;
  const chain = rules.nextChain();
  const condition = reading(loop.condition, chain, rules);
  if (condition === loop.condition) return null;
  const words = programs.flatMap((each) => [literal(NEXT), each.name as Node, ...(each.args as readonly Node[])]);
  const close = (status: Node) => simple(OWN.endLive, literal(chain), status);
  const inside = { type: "Subshell", body: [statementOf({ ...loop, condition })], redirections: [] };
  const opened = statementOf(simple(OWN.openLive, literal(chain), ...words));
  const run = statementOf(inside, ["&&", close(literal("0"))], ["||", close(quotedParameter("?"))]);
  return { ...group([opened, run]), live: true };
}

/** The loop of such a pipe prints while it runs. `sending`: sends the output of each statement. */
export function printing(live: Node, sending: (statements: readonly Node[]) => readonly Node[]): Node {
  const [opened, run] = live.body as readonly [Node, Node];
  const [first, ...ends] = run.pipelines as readonly [Node, ...Node[]];
  const [shell] = first.commands as readonly [Node];
  const inside = { ...shell, body: sending(shell.body as readonly Node[]) };
  return { ...live, body: [opened, { ...run, pipelines: [{ ...first, commands: [inside] }, ...ends] }] };
}

function isEndless(command: Node): boolean {
  if (command.type !== "SimpleCommand") return false;
  const words = [command.name, ...(command.args as readonly Node[])].map((word) => textsIn(word).join(""));
  const [name = "", ...args] = words[0] === "gsv" ? words.slice(1) : words;
  if (!Object.hasOwn(ENDLESS, name)) return false;
  const flag = ENDLESS[name];
  return flag === null || flag === undefined || args.some((arg) => flag.test(arg));
}

function isPlain(command: Node, { isProgram }: LoopRules): boolean {
  const isBare = (command.redirections as readonly Node[] | undefined)?.length === 0;
  return isProgram(command) && isBare && (command.args as readonly Node[]).every(isWordTwice);
}

function isOtherRead(node: Node): boolean {
  return literalName(node) === "read" && textsIn(node.args).some((text) => OTHER_READ.test(text));
}

/** The condition with each `read` of stdin replaced; the same value if there is none. */
function reading(value: unknown, chain: string, { parse }: LoopRules): unknown {
  let found = false;
  const changed = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(changed);
    if (!isNode(each)) return each;
    if (literalName(each) === "read" && (each.redirections as readonly Node[]).length === 0) {
      found = true;
      const text = { type: "Redirection", fd: null, operator: "<<<", target: quotedParameter(OWN.line) };
      // Without a newline at its end, a line is read with status 1.
      const before = parse(`${OWN.nextLine} ${chain}; ${OWN.lineStatus}=$?`);
      const after = parse(`[ $${OWN.lineStatus} = 0 ]`);
      return group([...before, statementOf({ ...each, redirections: [text] }), ...after]);
    }
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, changed(inner)]));
  };
  const all = changed(value);
  return found ? all : value;
}
