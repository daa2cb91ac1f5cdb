// Thirty coding tasks with the mistakes that models make, run through the whole loop against a model server on loopback: the bytes of the last
// request of each stand in test/golden/tasks, what all requests of a wire begin with in its own file there. A change of a prompt, a
// tool's text or an error shows its difference over all of them. Line breaks are put in for the reader: a body has none. After a
// wanted change: UPDATE_GOLDEN=1 bun test ./test/process/tasks.test.ts

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PlannedCall } from "../support/answers.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY, type Wire } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

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
    "picture.bin": "\u0000\u0001\u0002",
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
  "edit-after-a-change": {
    asked: "Log the port.",
    turns: [
      [read],
      [call("Shell", { command: "echo '// by hand' >> src/server.js" })],
      [edit("return server;", "console.log(port);\n\treturn server;")],
      [read],
      [edit("return server;", "console.log(port);\n\treturn server;")],
    ],
  },
  "edit-a-file-that-is-not-there": {
    asked: "Add a readme.",
    turns: [
      [call("Edit", { path: "README.md", oldString: "", newString: "# Server\n" })],
      [call("Write", { path: "README.md", content: "# Server\n" })],
    ],
  },
  "write-over-what-was-not-read": {
    asked: "Make net.js export a function.",
    turns: [[call("Write", { path: "src/net.js", content: "export function listen(port) {}\n" })]],
  },
  "a-path-from-elsewhere": {
    asked: "What does the server do?",
    turns: [
      [call("Read", { path: "/home/user/project/src/server.js" })],
      [gsv("Read", { path: "src/server.js" })],
      [call("Search", { query: "listen", path: "/workspace" })],
      [read],
    ],
    answers: ["deny", "deny", "approve"],
  },
  "nothing-is-found": {
    asked: "Where are errors handled?",
    turns: [
      [call("Search", { query: "handleError" })],
      [call("Search", { query: "on(", include: "*.ts" })],
      [call("Search", { query: "on(", include: "*.js" })],
    ],
  },
  "one-of-three-is-wrong": {
    asked: "Read everything.",
    turns: [[read, call("Read", { path: "src/index.js" }), call("Read", { path: "src/net.js" })]],
  },
  "a-program-that-is-not-there": {
    asked: "Run the linter.",
    turns: [[call("Shell", { command: "eslnt ." })], [gsv("Shell", { command: "npm test" })]],
  },
  "a-test-that-fails": {
    asked: "Make the test pass.",
    turns: [
      [call("Shell", { command: "grep -q 'start(80)' dist/server.js && grep -q 'start(90)' test/server.test.js" })],
      [call("Edit", { path: "test/server.test.js", oldString: "start(81)", newString: "start(90)" })],
      [call("Shell", { command: "grep -q 'start(80)' dist/server.js && grep -q 'start(90)' test/server.test.js" })],
    ],
  },
  "a-quote-that-is-open": {
    asked: "Say it's done.",
    turns: [[gsv("Shell", { command: "echo 'it's done'" })], [gsv("Shell", { command: 'echo "it\'s done"' })]],
  },
  "what-never-ends": {
    asked: "Tell me when the log says ready.",
    turns: [[gsv("Shell", { command: "tail -f ~/log" })], [gsv("Shell", { command: "yes | head -2; watch ls" })]],
  },
  "no-text-at-all": { asked: "What is in the picture?", turns: [[call("Read", { path: "picture.bin" })]] },
  "round-and-round": {
    asked: "Wait until it is there.",
    turns: [1, 2, 3, 4, 5].map(() => [call("Read", { path: "dist/done" })]),
    answers: ["approve", "deny"],
  },
  "giving-up": { asked: "Mend everything.", turns: [] },
};

/** Everything that differs from one machine and run to the next goes by a name. */
function plain(home: TestKernel, text: string): string {
  return text
    .replaceAll(work, "/project")
    .replaceAll(scratch, "/scratch")
    .replaceAll(home.directory, "/gsv")
    .replace(/Today is \d{4}-\d\d-\d\d/, "Today is DATE")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID");
}

const OF_WIRE: {
  readonly [wire: string]: { readonly model: string; readonly env: (url: string) => object; readonly style?: string };
} = {
  anthropic: { model: "anthropic/m", env: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }) },
  "openai chat completions": {
    model: "openai/m",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
  },
  "openai responses": {
    model: "openai/m",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    style: "responses",
  },
  ollama: { model: "ollama/m", env: (url) => ({ OLLAMA_HOST: url }) },
};

/** What a server is sent last of a task, as it came. */
async function lastRequest(wireName: string, task: Task): Promise<string> {
  const wire = WIRES[wireName]!;
  const { model, env, style } = OF_WIRE[wireName]!;
  const turns = task.turns.map((calls) => bodyOf(wire, calls));
  using server = new WireServer(({ path }) =>
    path.endsWith(wire.path)
      ? { type: wire.type, body: turns.shift() ?? wire.body({ text: ["I am done."] }) }
      : { status: 404, type: "application/json", body: "{}" },
  );
  await using home = await TestKernel.boot({
    ...{ cwd: work, realTime: true, realProviders: true },
    env: { ...env(server.url) },
  });
  if (style !== undefined) await home.sys.call("config.set", { key: "ai.providerStyle", value: style });
  await play(home, task, model);
  const asked = server.requests.findLast(({ path }) => path.endsWith(wire.path));
  return plain(home, asked?.body ?? "nobody was asked");
}

function bodyOf({ body }: Wire, calls: Turn): string {
  return body({ calls: calls.map(({ name, args, json }) => ({ name, json: [json ?? JSON.stringify(args)] })) });
}

/** What all requests of a wire have in common, and what was said: together all of the body, every byte of it. */
function partsOf(body: string): { readonly head: string; readonly said: string } {
  const whole = JSON.parse(body) as { [key: string]: unknown };
  expect(JSON.stringify(whole)).toBe(body);
  const key = "input" in whole ? "input" : "messages";
  const messages = whole[key] as readonly { readonly role?: string }[];
  const own = messages[0]?.role === "system" ? 1 : 0;
  const head = { ...whole, [key]: [...messages.slice(0, own), "what was said"] };
  return { head: folded(JSON.stringify(head)), said: folded(JSON.stringify(messages.slice(own))) };
}

/** Taking the line breaks out again gives the bytes. */
function folded(json: string): string {
  return `${json.replace(/\\n|(?=\{"(?:role|type)":|\{"name":"[A-Z])/g, (found) => `${found}\n`)}\n`;
}

async function play(home: TestKernel, { asked, answers = [] }: Task, model: string): Promise<void> {
  const decisions = [...answers];
  const { runId } = await home.send(asked, { model });
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

async function needGolden(name: string, text: string): Promise<void> {
  const file = join(GOLDEN, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
  expect(text).toBe(await Bun.file(file).text());
}

for (const [index, [name, task]] of Object.entries(TASKS).entries()) {
  const hasBroken = task.turns.some((calls) => calls.some(({ json }) => json !== undefined));
  const wires = Object.keys(OF_WIRE).filter((wire) => wire !== "ollama" || !hasBroken);
  const wire = wires[index % wires.length]!;
  test(`the task ${name} ends in the request that it did, to the byte (${wire})`, async () => {
    const { head, said } = partsOf(await lastRequest(wire, task));
    await needGolden(name, said);
    await needGolden(`every-request.${wire.replaceAll(" ", "-")}`, head);
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
