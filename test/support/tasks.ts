// Coding tasks as a model would do them, with typical mistakes of models, and their project.

import type { PlannedCall } from "./answers.ts";

const SERVER = `import { listen } from "./net.js";

export function start(port) {
\tconst server = listen(port);
\tserver.on("error", (error) => {
\t\tconsole.log(error);
\t});
\treturn server;
}
`;

export const PROJECT = {
  "src/server.js": SERVER,
  "src/net.js": "export const listen = (port) => ({ port, on() {} });\n",
  "test/server.test.js": "// start(80) answers\n// start(81) answers\n",
  "notes/long.txt": Array.from({ length: 3000 }, (_, line) => `line ${line} of the long notes`).join("\n"),
  ".gitignore": "dist/\n",
  "dist/server.js": "start(80)\n",
  "picture.bin": "\u0000\u0001\u0002",
};

/** One turn of the model: its calls, all at once. */
export type Turn = readonly PlannedCall[];
const call = (name: string, args: object): PlannedCall => ({ name, args: { target: "host", ...args } });
const gsv = (name: string, args: object): PlannedCall => ({ name, args });
const edit = (oldString: string, newString: string, more = {}) =>
  call("Edit", { path: "src/server.js", oldString, newString, ...more });
const read = call("Read", { path: "src/server.js" });

export interface Task {
  readonly asked: string;
  readonly turns: readonly Turn[];
  /** The person's answers, in order; yes by default. */
  readonly answers?: readonly ("approve" | "deny")[];
}

export const TASKS: { readonly [name: string]: Task } = {
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
    turns: [
      [call("Read", { path: "test" })],
      [call("Delete", { path: "test/server.test.js" })],
      [call("Delete", { path: "test/server.test.js" })],
    ],
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
    turns: [[gsv("Fetch", { url: "http://127.0.0.1:8080/" })], [gsv("Fetch", { url: "localhost:8080" })]],
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
