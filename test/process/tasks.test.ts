// Coding tasks with the mistakes that models make, run through the whole loop against a kernel: what the model is sent at the end of each, every
// byte of the conversation, stands in test/golden/tasks. A change of a prompt, a tool's text or an error shows its difference over
// all of them. After a wanted change: UPDATE_GOLDEN=1 bun test ./test/process/tasks.test.ts

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelRequest } from "../../src/abi/stream.ts";
import type { PlannedCall } from "../support/answers.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

const GOLDEN = join(import.meta.dir, "../golden/tasks");
const scratch = scratchDirectory("tasks");
const work = join(scratch, "project");
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SERVER = `import { listen } from "./net.js";

export function start(port) {
\tconst server = listen(port);
\tserver.on("error", (error) => {
\t\tconsole.log(error);
\t});
\treturn server;
}
`;

beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  const files = {
    "src/server.js": SERVER,
    "src/net.js": "export const listen = (port) => ({ port, on() {} });\n",
    "test/server.test.js": "// start(80) answers\n// start(81) answers\n",
    "notes/long.txt": Array.from({ length: 3000 }, (_, line) => `line ${line} of the long notes`).join("\n"),
    ".gitignore": "dist/\n",
    "dist/server.js": "start(80)\n",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
});

/** One turn of the model: what it calls, all at once. */
type Turn = readonly PlannedCall[];
const call = (name: string, args: object): PlannedCall => ({ name, args: { target: "host", ...args } });
const gsv = (name: string, args: object): PlannedCall => ({ name, args });
const edit = (oldString: string, newString: string, more = {}) =>
  call("Edit", { path: "src/server.js", oldString, newString, ...more });
const read = call("Read", { path: "src/server.js" });

interface Task {
  readonly asked: string;
  readonly turns: readonly Turn[];
  /** What the person answers, in order; yes when nothing is said. */
  readonly answers?: readonly ("approve" | "deny")[];
}

const TASKS: { readonly [name: string]: Task } = {
  "edit-well": {
    asked: "Log the port.",
    turns: [[read], [edit("return server;", "console.log(port);\n\treturn server;")]],
  },
  "edit-blanks-for-tabs": {
    asked: "Throw the error.",
    turns: [
      [read],
      [edit("    console.log(error);", "    throw error;")],
      [edit("\t\tconsole.log(error);", "\t\tthrow error;")],
    ],
  },
  "edit-line-numbers": {
    asked: "Rename start.",
    turns: [[read], [edit("     3\texport function start(port) {", "export function begin(port) {")]],
  },
  "edit-from-memory": {
    asked: "Handle errors.",
    turns: [[edit('server.on("error", (err) => {\n    console.error(err);\n  });', "")]],
  },
  "edit-not-unique": {
    asked: "Use another name for server.",
    turns: [[edit("server", "service")], [edit("server", "service", { replaceAll: true })]],
  },
  "edit-nothing-new": { asked: "Tidy up.", turns: [[edit("return server;", "return server;")]] },
  "read-wrong-path": {
    asked: "What does the server do?",
    turns: [[call("Read", { path: "server.js" })], [call("Read", { path: "src" })], [read]],
  },
  "read-outside": {
    asked: "Look at my keys.",
    turns: [[call("Read", { path: "../elsewhere.txt" })]],
    answers: ["approve", "deny"],
  },
  "read-long": {
    asked: "What do the notes say at the end?",
    turns: [[call("Read", { path: "notes/long.txt" })], [call("Read", { path: "notes/long.txt", offset: 2990 })]],
  },
  "read-beyond-the-end": { asked: "Go on.", turns: [[call("Read", { path: "src/net.js", offset: 500 })]] },
  "search-for-a-pattern": {
    asked: "Where is start called?",
    turns: [[call("Search", { query: "start\\(\\d+\\)" })], [call("Search", { query: "start(" })]],
  },
  "arguments-malformed": {
    asked: "Read it.",
    turns: [
      [{ name: "Read", json: '{"path": "src/server.js", ' }],
      [call("Read", { file_path: "src/server.js" })],
      [call("Read", { path: "src/server.js", limit: "10" })],
      [{ name: "read_file", args: { path: "src/server.js" } }],
    ],
  },
  "the-same-call-again": {
    asked: "Is it there?",
    turns: [[call("Read", { path: "a.js" })], [call("Read", { path: "a.js" })]],
  },
  "denied-and-again": {
    asked: "Delete the tests.",
    turns: [[call("Delete", { path: "test/server.test.js" })], [call("Delete", { path: "test/server.test.js" })]],
    answers: ["approve", "deny", "deny"],
  },
  "write-over-a-directory": { asked: "Write src.", turns: [[call("Write", { path: "src", content: "x" })]] },
  "delete-a-full-directory": { asked: "Remove src.", turns: [[call("Delete", { path: "src" })]] },
  "huge-arguments": { asked: "Write a lot.", turns: [[gsv("Write", { path: "~/big", content: "x".repeat(300_000) })]] },
  "shell-exit-status": {
    asked: "Count to three in gsv.",
    turns: [[gsv("Shell", { command: "seq 3; ls /nowhere" })], [gsv("Shell", { command: "seq 20000" })]],
  },
  "code-that-fails": {
    asked: "Sum up.",
    turns: [
      [gsv("CodeMode", { code: "const x = 1\nreturn await fs.read('~/nothing')" })],
      [gsv("CodeMode", { code: "import fs from 'fs'" })],
      [
        gsv("CodeMode", {
          code: "await fs.write('~/n', '1'); console.log('wrote'); return (await fs.read('~/n')).content",
        }),
      ],
    ],
  },
  "fetch-this-machine": {
    asked: "Is the server up?",
    turns: [[gsv("Fetch", { url: "http://127.0.0.1:9/" })], [gsv("Fetch", { url: "localhost:9" })]],
  },
  "giving-up": { asked: "Mend everything.", turns: [] },
};

/** Everything that differs from one machine and run to the next goes by a name. */
function plain(home: TestKernel, text: string): string {
  return text
    .replaceAll(work, "/project")
    .replaceAll(scratch, "/scratch")
    .replaceAll(home.directory, "/gsv")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID");
}

function conversation({ messages }: ModelRequest): string {
  return messages
    .map((message) => {
      if (message.role === "toolResult")
        return `< ${message.content.toolName} ${message.content.outcome}\n${message.content.output}`;
      if (message.role !== "assistant") return `> ${message.role}\n${message.content}`;
      const calls = (message.content.toolCalls ?? []).map(
        ({ name, args }) => `${name} ${JSON.stringify(args).slice(0, 500)}`,
      );
      return ["=", ...(message.content.text === "" ? [] : [message.content.text]), ...calls].join("\n");
    })
    .join("\n\n");
}

async function play(home: TestKernel, { asked, turns, answers = [] }: Task): Promise<void> {
  const decisions = [...answers];
  home.model.will(INIT, ...turns.map((calls) => ({ calls })), { text: "I am done." });
  const { runId } = await home.send(asked);
  for (;;) {
    await home.until("it asks or ends", async () => {
      const { state } = await home.get(INIT);
      return state === "waiting_hil" || home.heard("chat.complete", runId).length > 0;
    });
    if (home.heard("chat.complete", runId).length > 0) return;
    const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
    const decision = decisions.shift() ?? "approve";
    if (approvals[0] !== undefined) await home.sys.call("hil.answer", { id: approvals[0].id, decision });
  }
}

for (const [name, task] of Object.entries(TASKS)) {
  test(`the task ${name} is told as it was`, async () => {
    await using home = await TestKernel.boot({ cwd: work, realTime: true });
    await play(home, task);
    const last = home.model.requests.at(-1);
    if (last === undefined) throw new Error("nobody was asked");
    const told = `${plain(home, conversation(last))}\n`;
    const file = join(GOLDEN, `${name}.txt`);
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, told);
    expect(told).toBe(await Bun.file(file).text());
  });
}

test("what every request begins with is told as it was, and the whole of the first is small", async () => {
  await using home = await TestKernel.boot();
  await home.say("hi");
  const first = home.model.requests[0]!;
  const told = `${first.system}\n${first.tools.map(({ name, description, parameters }) => `# ${name}\n${description}${JSON.stringify(parameters, null, 1)}`).join("\n\n")}\n`;
  const file = join(GOLDEN, "tools.txt");
  const dated = told.replace(/Today is \S+/, "Today is DATE");
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, dated);
  expect(dated).toBe(await Bun.file(file).text());
  const { messages, system, tools } = first;
  expect(Buffer.byteLength(JSON.stringify({ messages, system, tools }))).toBeLessThan(12 * 1024);
});
