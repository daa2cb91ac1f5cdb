// Every command word there is besides the derived domains: a line here and a file beside it. Loaded when named, never before.

import type { CommandEntry, Commands } from "./command.ts";

const short = (callName: string, name: string) => async () => (await import("./derive.ts")).derived(callName, name);

export const COMMANDS: Commands = new Map<string, CommandEntry>([
  ["chat", { summary: "Send a message and print the answer", load: async () => (await import("./chat/chat.ts")).chat }],
  ["ps", { summary: "List processes", load: async () => (await import("./proc/ps.ts")).ps() }],
  ["top", { summary: "Show the processes as a tree", load: async () => (await import("./proc/top.ts")).top }],
  [
    "spawn",
    {
      summary: "Start a new process; print its pid",
      load: async () => (await import("./approvals/trust.ts")).spawnAs("spawn"),
    },
  ],
  ["send", { summary: "Leave a message and return at once", load: short("proc.send", "send") }],
  [
    "run",
    { summary: "Start a task, follow it, exit as it does", load: async () => (await import("./team/run-task.ts")).run },
  ],
  [
    "council",
    {
      summary: "Let several agents answer, discuss and sum up",
      load: async () => (await import("./team/council.ts")).council,
    },
  ],
  ["pipe", { summary: "Pass text through agents in a row", load: async () => (await import("./team/pipe.ts")).pipe }],
  [
    "wait",
    {
      summary: "Wait until processes have finished",
      load: async () => (await import("./proc/wait.ts")).waitAs("wait"),
    },
  ],
  [
    "attach",
    { summary: "Talk to a process on this terminal", load: async () => (await import("./proc/attach.ts")).attach },
  ],
  [
    "strace",
    { summary: "Show the calls a process makes", load: async () => (await import("./proc/strace.ts")).strace },
  ],
  ["debug", { summary: "Show why a run failed", load: async () => (await import("./system/debug.ts")).debug }],
  [
    "bugreport",
    {
      summary: "Put together what is needed to mend gsv",
      load: async () => (await import("./system/bugreport.ts")).bugreport,
    },
  ],
  ["logs", { summary: "Print what was said lately", load: async () => (await import("./proc/logs.ts")).logs }],
  ["diff", { summary: "Show what a run changed in files", load: async () => (await import("./history/undo.ts")).diff }],
  [
    "undo",
    { summary: "Put the files back that a run changed", load: async () => (await import("./history/undo.ts")).undo },
  ],
  [
    "rewind",
    { summary: "Take a process back to a message", load: async () => (await import("./history/undo.ts")).rewind },
  ],
  [
    "history",
    { summary: "Read, search and shape histories", load: async () => (await import("./history/history.ts")).history() },
  ],
  ["compact", { summary: "Tell a model old history in short", load: short("proc.compact", "compact") }],
  ["fork", { summary: "Start a process with another's history", load: short("proc.fork", "fork") }],
  ["kill", { summary: "Signal or end processes", load: async () => (await import("./proc/kill.ts")).kill }],
  [
    "approvals",
    {
      summary: "List pending approvals and questions",
      load: async () => (await import("./approvals/approvals.ts")).approvals(),
    },
  ],
  [
    "approve",
    { summary: "Allow what a process asked for", load: async () => (await import("./approvals/approvals.ts")).approve },
  ],
  [
    "deny",
    { summary: "Refuse what a process asked for", load: async () => (await import("./approvals/approvals.ts")).deny },
  ],
  [
    "answer",
    {
      summary: "Answer the question of a process",
      load: async () => (await import("./approvals/approvals.ts")).answerQuestion,
    },
  ],
  ["outage", { summary: "Show which providers do not answer", load: short("ai.outages", "outage") }],
  ["ls", { summary: "List files and directories", load: async () => (await import("./files/listing.ts")).ls }],
  ["cat", { summary: "Print files", load: async () => (await import("./files/contents.ts")).cat }],
  [
    "tail",
    {
      summary: "Print the end of files, and follow them",
      load: async () => (await import("./files/contents.ts")).tail,
    },
  ],
  [
    "cp",
    {
      summary: "Copy files and directories, inside gsv and from or to this machine",
      load: async () => (await import("./files/copy/cp.ts")).cp,
    },
  ],
  [
    "mv",
    {
      summary: "Move or rename files and directories inside gsv",
      load: async () => (await import("./files/copy/mv.ts")).mv,
    },
  ],
  ["rm", { summary: "Remove files and directories", load: async () => (await import("./files/rm.ts")).rm }],
  ["mkdir", { summary: "Make directories", load: async () => (await import("./files/permissions.ts")).mkdir }],
  ["edit", { summary: "Change a text file in your editor", load: async () => (await import("./files/edit.ts")).edit }],
  [
    "tree",
    {
      summary: "Draw a directory with everything below it",
      load: async () => (await import("./files/tree.ts")).tree,
    },
  ],
  [
    "stat",
    {
      summary: "Show what is known of files: kind, size, owner, mode, time",
      load: async () => (await import("./files/listing.ts")).stat,
    },
  ],
  [
    "find",
    { summary: "Find files by name, kind, size and time", load: async () => (await import("./files/find.ts")).find },
  ],
  [
    "grep",
    { summary: "Print lines that hold a pattern", load: async () => (await import("./files/contents.ts")).grep },
  ],
  ["ln", { summary: "Create a symbolic link", load: async () => (await import("./files/ln.ts")).ln }],
  ["chmod", { summary: "Change permissions", load: async () => (await import("./files/permissions.ts")).chmod }],
  ["chown", { summary: "Change owner and group", load: async () => (await import("./files/permissions.ts")).chown }],
  [
    "touch",
    {
      summary: "Make empty files, or set the time of files to now",
      load: async () => (await import("./files/touch.ts")).touch,
    },
  ],
  ["du", { summary: "Show how big directories are", load: async () => (await import("./files/listing.ts")).du }],
  [
    "backup",
    {
      summary: "Write everything into one file, while it goes on running",
      load: async () => (await import("./system/backup.ts")).backup,
    },
  ],
  [
    "restore",
    {
      summary: "Put a backup into an empty home, or in the place of one",
      load: async () => (await import("./system/backup.ts")).restore,
    },
  ],
  ["df", { summary: "Show what uses how much disk space", load: async () => (await import("./system/backup.ts")).df }],
  [
    "sh",
    {
      summary: "Run a shell script over gsv's files, or with --host on this machine",
      load: async () => (await import("./shell/sh.ts")).sh,
    },
  ],
  [
    "media",
    {
      summary: "Pictures, sound and documents of a process",
      load: async () => (await import("./proc/media.ts")).media(),
    },
  ],
  ["fetch", { summary: "Print a page of the web as text", load: short("net.fetch", "fetch") }],
  ["caps", { summary: "Show the capabilities of a process", load: short("proc.caps", "caps") }],
  ["models", { summary: "List the models there are", load: short("ai.models", "models") }],
  ["nice", { summary: "Let others ask a provider first, or not", load: short("proc.nice", "nice") }],
  [
    "renice",
    {
      summary: "Set what nice shows, of one process or more",
      load: async () => (await import("./proc/renice.ts")).renice,
    },
  ],
  ["mode", { summary: "Show or set what a process may do without asking", load: short("proc.mode", "mode") }],
  ["model", { summary: "Show or set the model of a process", load: short("proc.model", "model") }],
  ["last", { summary: "List the last runs", load: short("proc.runs", "last") }],
  ["w", { summary: "Show who is at work, on what", load: async () => (await import("./proc/uptime.ts")).w }],
  [
    "uptime",
    {
      summary: "Show how long the kernel is up and how busy",
      load: async () => (await import("./proc/uptime.ts")).uptime,
    },
  ],
  [
    "events",
    {
      summary: "Print what happens, as it happens",
      load: async () => (await import("./system/event-stream.ts")).events,
    },
  ],
  [
    "pmap",
    { summary: "Show what fills a process's context", load: async () => (await import("./proc/prompt.ts")).pmap },
  ],
  [
    "perf",
    { summary: "Show where tokens, money and time went", load: async () => (await import("./proc/perf.ts")).perf },
  ],
  ["usage", { summary: "Show what answers used and cost", load: async () => (await import("./proc/usage.ts")).usage }],
  [
    "budget",
    { summary: "Show or set what processes may use", load: async () => (await import("./proc/budget.ts")).budget },
  ],
  [
    "user",
    { summary: "Add, list, change and remove accounts", load: async () => (await import("./config/user.ts")).user() },
  ],
  ["passwd", { summary: "Change a password", load: async () => (await import("./config/passwd.ts")).passwd }],
  [
    "auth",
    { summary: "Sign in and out, and make tokens", load: async () => (await import("./config/auth.ts")).auth() },
  ],
  [
    "audit",
    {
      summary: "Print refused calls, or who wrote a file",
      load: async () => (await import("./system/audit.ts")).audit,
    },
  ],
  ["lsof", { summary: "Show which process uses which file", load: async () => (await import("./proc/lsof.ts")).lsof }],
  [
    "context",
    {
      summary: "What your agents are told about you",
      load: async () => (await import("./config/context.ts")).context(),
    },
  ],
  [
    "prompt",
    {
      summary: "What a process is told, and what fills it",
      load: async () => (await import("./proc/prompt.ts")).prompt,
    },
  ],
  [
    "skills",
    { summary: "How kinds of work are done", load: async () => (await import("./config/skills.ts")).skills() },
  ],
  [
    "kernel",
    { summary: "Start, stop or look at the kernel", load: async () => (await import("./system/kernel.ts")).kernel },
  ],
  [
    "doctor",
    { summary: "Find out what is wrong, and mend it", load: async () => (await import("./system/doctor.ts")).doctor },
  ],
  [
    "fsck",
    { summary: "Check every stored byte of the home", load: async () => (await import("./system/doctor.ts")).fsck },
  ],
  ["paths", { summary: "Print where gsv keeps things", load: async () => (await import("./system/paths.ts")).paths }],
  [
    "help",
    { summary: "Help on any command or topic", load: async () => (await import("./man/help.ts")).help(COMMANDS) },
  ],
  ["man", { summary: "Read and search the manual", load: async () => (await import("./man/man.ts")).man(COMMANDS) }],
  [
    "explain",
    { summary: "Say what an exit status means", load: async () => (await import("./man/explain.ts")).explain },
  ],
  [
    "schema",
    { summary: "Print the JSON Schema of what is printed", load: async () => (await import("./man/schema.ts")).schema },
  ],
  ["api", { summary: "Call any syscall with JSON", load: async () => (await import("./api.ts")).api }],
  [
    "completion",
    {
      summary: "Print a script that completes words",
      load: async () => (await import("./man/completion.ts")).completion,
    },
  ],
  [
    "__complete",
    {
      summary: "What may stand at a place of a command line",
      hidden: true,
      load: async () => (await import("./man/complete.ts")).complete(COMMANDS),
    },
  ],
]);
