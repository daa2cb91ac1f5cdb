// Commands of the terminal itself, typed after a slash: one entry each. What they run is a line of the shell about the process one talks to,
// or something that only a terminal can do. Every other word after a slash is a gsv command.

export type Slash =
  | { readonly does: "leave" | "push-up" | "top" | "keys" | "new" | "attach"; readonly summary: string }
  | { readonly line: (pid: string, rest: string) => string; readonly summary: string };

const about = (name: string) => (pid: string, rest: string) => `${name} ${pid} ${rest}`.trim();

export const SLASHES: ReadonlyMap<string, Slash> = new Map<string, Slash>([
  ["help", { line: (_pid, rest) => `help ${rest}`.trim(), summary: "commands, pages, topics" }],
  ["keys", { does: "keys", summary: "what the keys do" }],
  ["top", { does: "top", summary: "the processes, live" }],
  ["attach", { does: "attach", summary: "talk to another process: /attach PID" }],
  ["new", { does: "new", summary: "a new process, and talk to it" }],
  ["model", { line: about("model"), summary: "who answers here; /model NAME sets it" }],
  ["compact", { line: about("compact"), summary: "tell the older part of this history in short" }],
  ["context", { line: about("prompt"), summary: "what the next turn is told, and what it costs" }],
  ["cost", { line: (pid) => `usage --pid ${pid}`, summary: "what this process has used" }],
  ["undo", { line: about("undo"), summary: "take back what the last run changed" }],
  ["diff", { line: about("diff"), summary: "what the last run changed" }],
  ["clear", { does: "push-up", summary: "an empty screen; scrollback keeps everything" }],
  ["quit", { does: "leave", summary: "leave; agents go on" }],
  ["exit", { does: "leave", summary: "the same" }],
]);
