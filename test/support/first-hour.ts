// The stage of a first hour with gsv: a git project with a bug, a full-screen editor, a model server with the answers of the story,
// and the screens as text.

import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { plainGit } from "./git.ts";
import type { TestHome } from "./home.ts";
import type { Session } from "./session.ts";
import { WIRES } from "./wire-bytes.ts";
import { KEY, type Spoken } from "./wire-format.ts";
import { type WireReply, type WireRequest, WireServer } from "./wire-server.ts";

const WIRE = WIRES.anthropic!;

const FILES: { readonly [name: string]: string } = {
  "README.md": "# add\n\nadds the numbers of its arguments: `sh add.sh 2 3`\n",
  "add.sh": '#!/bin/sh\n# Adds two numbers.\necho "$(($1 - $2))"\n',
  "test.sh": [
    "#!/bin/bash",
    '[ "$(sh add.sh 2 3)" = 5 ] || exit 1',
    'echo "ok: 2 + 3"',
    "get() { exec 3<> \"/dev/tcp/$1\" && printf 'GET /health HTTP/1.1\\r\\n\\r\\n' >&3 && read -r status <&3; }",
    '(get "$1" && echo "ok: $status") 2> /dev/null || echo "skipped: no network"\n',
  ].join("\n"),
  "notes.md": "plans\n",
};

/** Draws on the alternate screen without line mode, writes a line into its file at a key, and gives the terminal back. */
const EDITOR = `#!/bin/sh
saved=$(stty -g)
stty -echo -icanon min 1
printf '\\033[?1049h\\033[H\\033[2Jpage: %s\\r\\n' "$1"
cat "$1"
printf '\\033[999;1H-- press w to write --'
key=$(dd bs=1 count=1 2>/dev/null)
[ "$key" = w ] && echo "later: more than two numbers" >> "$1"
stty "$saved"
printf '\\033[?1049l'
`;

const PERSON = { name: "Sam", email: "sam@example.org", date: "2026-01-02T03:04:05Z" };

/** The environment of the person, with git as on a new computer. */
export function personEnv(home: TestHome, server: WireServer): { readonly [name: string]: string } {
  return {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: server.url,
    // The choice of a model comes first, as after an installation.
    GSV_SETUP: "",
    PATH: `${home.beside("bin")}:${process.env.PATH}`,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_PAGER: "cat",
    GIT_AUTHOR_NAME: PERSON.name,
    GIT_AUTHOR_EMAIL: PERSON.email,
    GIT_AUTHOR_DATE: PERSON.date,
    GIT_COMMITTER_NAME: PERSON.name,
    GIT_COMMITTER_EMAIL: PERSON.email,
    GIT_COMMITTER_DATE: PERSON.date,
  };
}

/** Returns the path of the project. */
export function makeProject(home: TestHome): string {
  mkdirSync(home.beside("bin"));
  writeFileSync(home.beside("bin/page"), EDITOR);
  chmodSync(home.beside("bin/page"), 0o755);
  const project = home.beside("add");
  mkdirSync(project);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(`${project}/${name}`, text);
  plainGit(project, "init", "-q", "-b", "main");
  plainGit(project, "add", ".");
  plainGit(project, "commit", "-q", "-m", "Begin");
  return realpathSync(project);
}

type Answers = { readonly [asked: string]: readonly Spoken[] };

const call = (name: string, args: object) => ({ name, json: [JSON.stringify({ ...args, target: "host" })] });

function answersOf(server: WireServer): Answers {
  const test = `bash test.sh ${server.url.slice("http://".length).replace(":", "/")}`;
  return {
    "what does this project do?": [
      { text: ["I look."], calls: [call("Read", { path: "README.md" }), call("Read", { path: "add.sh" })] },
      { text: ["It adds two numbers. ", "But line 3 of `add.sh` subtracts them."] },
    ],
    "fix it": [
      { calls: [{ name: "Plan", json: [JSON.stringify({ plan: "1. Fix add.sh.\n2. README.md." })] }] },
      {
        calls: [
          call("Edit", { path: "add.sh", oldString: "$1 - $2", newString: "$1 + $2" }),
          call("Edit", { path: "README.md", oldString: "the numbers of its arguments", newString: "two numbers" }),
        ],
      },
      { text: ["Both files are corrected."] },
    ],
    "run the tests": [
      { calls: [call("Shell", { command: test })] },
      { calls: [call("Shell", { command: test, network: true })] },
      { text: ["The tests pass."] },
    ],
    "is the README right?": [{ text: ["Yes, the README is right."] }],
    "add a license": [
      { calls: [call("Edit", { path: "README.md", oldString: "# add", newString: "# add (public domain)" })] },
      { text: ["The README names the license."] },
    ],
  };
}

/** Answers the last message, by its number of turns since. */
export class FirstHourModel implements Disposable {
  /** The background task gets its answer once this is resolved. */
  readonly away = Promise.withResolvers<void>();
  readonly server = new WireServer((request) => this.reply(request));

  private reply({ path, json }: WireRequest): WireReply | Promise<WireReply> {
    if (path === "/health") return { type: "text/plain", body: "healthy\n" };
    const { asked, turn } = lastAsked(json.messages as readonly WireMessage[]);
    // The ids of the calls are the same in each turn, as those of some servers.
    const found = Object.entries(answersOf(this.server)).find(([words]) => asked.includes(words));
    const spoken = found?.[1][turn] ?? { text: ["Fine."] };
    const reply = { type: WIRE.type, body: WIRE.body({ ...spoken, usage: { input: 900, output: 20 } }) };
    return found?.[0].startsWith("is the") ? this.away.promise.then(() => reply) : reply;
  }

  [Symbol.dispose](): void {
    this.server.stop();
  }
}

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

function lastAsked(messages: readonly WireMessage[]): { readonly asked: string; readonly turn: number } {
  const said = ({ content }: WireMessage) =>
    typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
  const isAsked = (message: WireMessage) => message.role === "user" && said(message).trim() !== "";
  const at = messages.findLastIndex(isAsked);
  const turn = messages.slice(at).filter(({ role }) => role === "assistant").length;
  return { asked: at === -1 ? "" : said(messages[at]!), turn };
}

/** The screen without times, random names and ports. */
export function stable(session: Session): string {
  return (
    session
      .text()
      .replace(/gsv-crash-\w{6}/g, "gsv-crash-aaaaaa")
      .replace(/gsv \d\S+/g, "gsv 0.0.0")
      .replace(/task:[a-z0-9]{6}/g, "task:aaaaaa")
      .replace(/127\.0\.0\.1\/\d+/g, "127.0.0.1/9999")
      .replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, "9 s")
      .replace(/\$\d+\.\d+/g, "$0.00")
      .replace(/(?<=While you were away \()\d+s/, "9 s")
      // Comes some time after the start.
      .replace(/^(~\/add {2}add {2}\S+) {2}ctx \S+ \d+%$/m, "$1")
      .replace(/(?<=\[main )\w{7}(?=\])/, "0000000")
      // The time in which a card is open.
      .replace(/ +\d+:\d\d$/gm, "")
  );
}
