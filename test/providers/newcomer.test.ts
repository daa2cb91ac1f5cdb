// Questions of a newcomer, and the command each answer must contain, word for word.

import { describe, expect, test } from "bun:test";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { answerOf } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });

const answer = (question: string) => answerOf(provider, question);

const QUESTIONS: readonly [command: string, page: string, ...phrasings: string[]][] = [
  [
    "gsv proc kill task:abc123",
    "processes",
    "How do I stop a process?",
    "how can I end an agent",
    "what is the command to terminate a task?",
  ],
  ["gsv ps", "processes", "how can I see what is running", "how do I list my processes?", "how can I view all agents?"],
  [
    "gsv spawn --label",
    "processes",
    "start something in the background",
    "How do I launch a task in the background?",
    "how to spawn a new agent",
  ],
  [
    "gsv archive list",
    "history-and-archives",
    "where are my old conversations",
    "how do I find past chats?",
    "where did my archived history go",
  ],
  [
    "gsv approvals",
    "exit-status",
    "what does exit status 5 mean",
    "What does exit code 5 mean?",
    "why did it exit with 5",
  ],
  [
    "gsv approve k3x9",
    "approvals",
    "how do I approve",
    "how do I allow a tool call?",
    "how can I say yes to a permission request",
  ],
  [
    "gsv proc history --pid task:abc123",
    "history-and-archives",
    "how do I read the history of a process",
    "how do I see the transcript of an agent?",
    "show the messages of a task",
  ],
  ["gsv proc reset", "processes", "what is init", "what's init:1000?", "why can't I kill init"],
  [
    "gsv wait task:abc123",
    "processes",
    "how do I wait for a task",
    "how can I block until an agent is done?",
    "wait until a process has finished",
  ],
  [
    "gsv kill -STOP task:abc123",
    "signals",
    "can I pause an agent",
    "how do I suspend a process for a while?",
    "how can I freeze a task",
  ],
  [
    'gsv wait "$pid"',
    "output-and-json",
    "how do I use it in a script",
    "can I automate gsv with bash?",
    "how to call gsv from cron",
  ],
  [
    "~/.gsv",
    "homes-and-accounts",
    "where is my data stored",
    "where does gsv keep its files on disk?",
    "which directory does gsv use?",
  ],
  [
    "gsv proc reset --pid task:abc123",
    "history-and-archives",
    "how do I start over with an empty history",
    "how do I clear the conversation?",
    "how can I begin again with a blank history",
  ],
  ["gsv proc reset --pid task:abc123", "patterns", "how to reset", "when should I reset?"],
  [
    "gsv send --pid task:abc123",
    "chat",
    "how do I send without waiting",
    "can I queue a message and not wait?",
    "send a message and return at once",
  ],
  [
    "gsv ps --json",
    "output-and-json",
    "how do I get json",
    "is there machine readable output?",
    "how can I parse the output with jq",
  ],
  [
    "gsv kill -CONT task:abc123",
    "signals",
    "how do I resume a paused agent",
    "how do I continue a paused process?",
    "unpause a task",
  ],
  ["gsv kernel stop", "kernel", "how do I stop the kernel", "how can I shut down the kernel?", "turn off the daemon"],
  ["GSV_MODEL=", "models", "how do I change the model", "can I use claude?", "how do I choose which model answers"],
  [
    "gsv kernel start",
    "kernel",
    "what happens after a crash",
    "does my work survive a reboot?",
    "is anything lost after a power cut",
  ],
  [
    "gsv deny k3x9",
    "approvals",
    "how do I deny a request",
    "how can I refuse a tool call?",
    "reject a permission request",
  ],
  [
    "gsv proc abort task:abc123",
    "processes",
    "how do I abort an answer",
    "how do I cancel the answer in flight?",
    "abort a run that takes too long",
  ],
  ["gsv cat '~/notes.md'", "files", "how do I read a file", "how can I print a file?", "how do I list a directory"],
  [
    "gsv proc kill task:abc123 --no-archive",
    "processes",
    "how do I kill a process without archive",
    "can I kill a task with no archive?",
    "how to throw away the history when I kill",
  ],
  ["gsv system whoami", "homes-and-accounts", "who am I", "what is my username?", "which account do I have"],
  [
    "gsv --version",
    "getting-started",
    "which version is this",
    "how do I see the version?",
    "what version of gsv do I have",
  ],
  ["GSV_KERNEL=in-process", "kernel", "what is GSV_KERNEL", "what does gsv_kernel do?"],
  ["GSV_KERNEL_IDLE_MS", "environment", "what is GSV_KERNEL_IDLE_MS", "how do I set the idle time of the kernel?"],
  ["`GSV_HOME`", "environment", "which environment variables are there", "list the env variables gsv reads"],
  ["gsv proc trace task:abc123", "processes", "how do I see what a process did", "what did my process do?"],
  ["gsv logs task:abc123", "processes", "how do I see what a process did", "what has an agent done?"],
  ["after `resume`", "processes", "difference between stop and kill", "how does stopping differ from killing?"],
  ["returns at once", "chat", "difference between send and chat", "send vs chat"],
  ["gsv proc label task:abc123", "processes", "how do I change the label", "can I rename a process?"],
  ["262,144", "limits", "what limits are there", "what is the maximum size of a message?"],
  ["gsv approvals", "approvals", "show approvals", "list the approvals"],
  ["exit status of its last run", "processes", "what does gsv wait return", "what is the exit status of gsv wait?"],
  ["keeps waiting", "processes", "does wait return when a process is stopped?", "how do I wait for a task"],
  ["gsv edit '~/notes.md'", "files", "open a file in vim", "which editor does gsv use"],
  ["gsv mv '~/draft.md'", "files", "how do I rename a file", "make a symlink"],
  ["gsv chmod", "files", "who can read my files", "what does chmod do here"],
  ["gsv find '~' -name", "files", "how do I find a file by its name", "which files are large"],
  ["gsv cp host:./report.pdf", "files", "how do I copy a file into gsv", "upload a file from my machine"],
  ["have no person to ask", "processes", "what is a profile", "which profiles are there?"],
  ["lost when the kernel exits", "files", "where do temporary files go", "is /tmp kept?"],
  ["personal agent", "homes-and-accounts", "who is friday", "what's friday?", "who is my agent"],
  ["gsv workspace", "workspaces", "what is a workspace", "can I attach a workspace?"],
  ["human in the loop", "approvals", "what is hil", "what does waiting_hil mean?"],
  ["in order", "processes", "what is a queue", "what's the queue?"],
  ["A run is the work on one message", "processes", "what is a run", "what is a run?"],
  ["log/kernel.log", "kernel", "where is the log", "where is kernel.log?"],
  ["asks you first", "approvals", "what is context.d", "can an agent write to skills.d?"],
  ["takes over", "getting-started", "how do I upgrade gsv", "how do I update to a newer version?"],
  ["database is damaged", "processes", "what does the state error mean", "a process is in state error"],
  ["`delayMs` waits before", "script-provider", "script delay", "how do I make a script slow?"],
  ["{{result}}", "script-provider", "script template variables", "which variables does a script template have?"],
  ["`retryAfterMs`", "script-provider", "which error classes does a script have", "how do I make the model fail?"],
  ["regular expression", "script-provider", "how does `when` match in a script", "script conditions"],
  ["gsv proc kill task:abc123", "processes", "how do I remove all processes", "end all my agents"],
  ["`cacheRead`", "script-provider", "which usage keys can a script report", "what are the stop values of a script?"],
];

describe("a newcomer's question gets the command to type and its source", () => {
  for (const [command, page, ...phrasings] of QUESTIONS) {
    test.each(phrasings)("%s", async (question) => {
      const text = await answer(question);
      const [body = ""] = text.split("\n\nSee also:");
      expect(body).toContain(command);
      expect(body).toEndWith(`manual: ${page}`);
    });
  }
});

describe("the manual can be read as a book", () => {
  test.each(MANUAL.map((section) => section.heading))("the title %s gets exactly its section", async (title) => {
    const exact = await answer(title);
    expect(exact).toStartWith(`${title}\n\n`);
    expect(exact).not.toContain("See also:");
    expect(await answer(`  ${title.toUpperCase()}?`)).toBe(exact);
  });

  test.each([
    ["What is gsv?", "gsv"],
    ["gsv", "gsv"],
    ["what is the kernel", "The kernel"],
    ["How do I use gsv in a script?", "Use gsv in a script"],
    ["what are the profiles?", "Profiles"],
  ])("%s is the section %s, without the small words", async (question, title) => {
    expect(await answer(question)).toBe(await answer(title));
  });

  test.each([
    "manual",
    "Manual.",
    "list the topics",
    "help topics",
    "show me the manual",
    "table of contents",
    "What topics are there?",
  ])("%s gets every page with one line", async (message) => {
    const text = await answer(message);
    for (const { page, about } of MANUAL) expect(text).toMatch(new RegExp(`^ +${page} +${RegExp.escape(about)}$`, "m"));
  });

  test.each([
    ["manual script-provider", "script-provider"],
    ["manual: script-provider", "script-provider"],
    ["show me the page script provider", "script-provider"],
    ["show the page approvals", "approvals"],
    ["help for approvals", "approvals"],
    ["exit-status", "exit-status"],
  ])("%s gets the sections of that page, a line each", async (message, page) => {
    const lines = (await answer(message)).split("\n").filter((line) => line.startsWith("- "));
    const headings = MANUAL.filter((section) => section.page === page).map((section) => section.heading);
    expect(lines.map((line) => headings.find((heading) => line.startsWith(`- ${heading}`)))).toEqual(headings);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 75, 78, 124, 130, 137, 141])("exit status %d has a section", async (status) => {
    for (const question of [`what does exit status ${status} mean?`, `exit code ${status}`]) {
      expect(await answer(question)).toStartWith(`Exit status ${status}:`);
    }
  });
});

describe("a question that the manual does not cover gets no invented answer", () => {
  test.each([
    "what is the capital of France",
    "windows",
    "does it run on Windows?",
    "delete everything",
    "Please erase it all!",
    "write me a poem about the sea",
    "summarize the meeting with the design team",
    "refactor the login module and run the tests",
    "how do I bake bread",
    "asdf qwer",
    "какая погода",
    "???!!! 🙂",
    "the",
    "x".repeat(100_000),
  ])("%.40s gets the three nearest entries with their commands", async (question) => {
    const text = await answer(question);
    const entries = text.split("\n").filter((line) => line.startsWith("- "));
    expect(entries).toHaveLength(3);
    for (const entry of entries) expect(entry).toMatch(/: `.+` \(manual: [a-z-]+\)$/);
    expect(text).toMatch(/no model is set up|none is set up/);
  });
});

describe("small talk", () => {
  test.each([
    "hello",
    "Hi!",
    "hey there",
    "",
    "help",
    "Help me!",
    "what can you do?",
    "who are you?",
    "are you an AI?",
  ])("%p gets a short answer with three things to try", async (message) => {
    const text = await answer(message);
    expect(text.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(3);
    expect(text).toMatch(/not a model|no model/);
    expect(text.length).toBeLessThan(400);
  });

  test("thanks get one line", async () => {
    expect(await answer("thanks!")).toBe("You are welcome.");
  });
});
