import { describe, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { offlineProvider } from "../../src/providers/offline/offline.ts";
import { intentOf } from "../../src/providers/offline/rules.ts";
import { ask, callsOf, eventsOf, requestOf } from "./requests.ts";

const provider = offlineProvider({ manual: async () => MANUAL });

type Said = Parameters<typeof requestOf>[0];

async function textOf(said: Said): Promise<string> {
  return (await ask(provider, requestOf(said))).text;
}

async function orders(message: string): Promise<{ name: string; args: object }[]> {
  return callsOf(await ask(provider, requestOf([{ user: message }])));
}

function afterCall(name: string, args: { [key: string]: string }, result: object): Said {
  const call = { id: "c", name, args };
  return [{ user: "do it" }, { assistant: "", calls: [call] }, { result: "", of: "c", tool: name, ...result }];
}

test("a message of only white space and newlines is answered fast", async () => {
  for (const filling of [" ", "\n", ", ", "please ", "\t", '" '])
    await textOf([{ user: `x${filling.repeat(200_000 / filling.length)}y` }]);
}, 2000);

describe("plain orders become calls of the real tools", () => {
  test.each([
    ["read ~/notes.md", "Read", { path: "~/notes.md" }],
    ["Please read ~/notes.md.", "Read", { path: "~/notes.md" }],
    ["could you read the file notes?", "Read", { path: "notes" }],
    ["show me /proc/init:1000/status", "Read", { path: "/proc/init:1000/status" }],
    ["what is in ~/notes.md?", "Read", { path: "~/notes.md" }],
    ['cat "my notes.txt"', "Read", { path: "my notes.txt" }],
    ["list ~", "Read", { path: "~" }],
    ["ls", "Read", { path: "." }],
    ["list ..", "Read", { path: ".." }],
    ["what files are here?", "Read", { path: "." }],
    ["list files in /tmp", "Read", { path: "/tmp" }],
    ["find deadline", "Search", { query: "deadline" }],
    ['find "the old plan" in ~/docs', "Search", { query: "the old plan", path: "~/docs" }],
    ["search for milk in ~", "Search", { query: "milk", path: "~" }],
    ["search ~/docs for milk", "Search", { query: "milk", path: "~/docs" }],
    ["grep TODAY notes.md", "Search", { query: "TODAY", path: "notes.md" }],
    ['write "call the bank" to ~/notes.md', "Write", { path: "~/notes.md", content: "call the bank" }],
    ["write go to the bank to ~/notes.md", "Write", { path: "~/notes.md", content: "go to the bank" }],
    ["write to ~/a.md: one\ntwo", "Write", { path: "~/a.md", content: "one\ntwo" }],
    ["save hello in ~/a.md", "Write", { path: "~/a.md", content: "hello" }],
    ["create a file called todo with milk and eggs", "Write", { path: "todo", content: "milk and eggs" }],
    ['replace "a b" with "c" in ~/a.md', "Edit", { path: "~/a.md", oldString: "a b", newString: "c" }],
    ["delete ~/old.md", "Delete", { path: "~/old.md" }],
    ["remove the file draft", "Delete", { path: "draft" }],
  ])("%s", async (message, name, args) => {
    expect(await orders(message)).toEqual([{ name, args }]);
  });

  test.each([
    "what is running",
    "What's running?",
    "show processes",
    "list my tasks",
    "which processes are running?",
    "ps",
  ])("%s inspects every process", async (message) => {
    expect((await orders(message)).map((call) => call.name)).toEqual(["Search", "Search"]);
  });
});

describe("nothing is done on a guess", () => {
  test.each([
    "delete everything",
    "delete my history",
    "remove it",
    "write a letter to bob",
    "write a letter to bob@example.com",
    "write a poem about the sea",
    "write a program in node.js",
    "put the kettle on",
    "find out how to stop a process",
    "find my old conversations",
    "find the bug in my code",
    "read the history of a process",
    "read history",
    "show me how to approve",
    "how do I delete ~/a.md?",
    "can I write to ~/a.md?",
    "list everything you can do",
    "replace the old plan with a new one",
    "do not delete ~/a.md",
  ])("%s", (message) => {
    expect(intentOf(message)).toEqual({ kind: "question" });
  });

  test("a process without the tool reports that and calls nothing", async () => {
    const request = { ...requestOf([{ user: "delete ~/a.md" }]), tools: [] };
    expect(await ask(provider, request)).toMatchObject({
      kind: "turn",
      calls: [],
      text: expect.stringContaining("Delete"),
    });
  });
});

describe("results of calls are reported in plain words", () => {
  test("a file is shown without the line numbers a model sees", async () => {
    const said = afterCall("Read", { path: "~/a.md" }, { result: "     1\tone\n     2\ttwo\n" });
    expect(await textOf(said)).toBe("~/a.md:\n\none\ntwo");
    const cut = { result: "     1\tone\n… 5000 lines left out …\n  5002\tlast" };
    expect(await textOf(afterCall("Read", { path: "~/a.md" }, cut))).toBe(
      "~/a.md:\n\none\n… 5000 lines left out …\nlast",
    );
  });

  test("text that Markdown would change is put into a fenced block of its language, whatever it contains", async () => {
    const shown = (path: string, result: string) => textOf(afterCall("Read", { path }, { result }));
    expect(await shown("a.js", "     1\tif (x) {\n     2\t  y();\n     3\t}\n")).toBe(
      "a.js:\n\n```js\nif (x) {\n  y();\n}\n```",
    );
    expect(await shown("x/make", "     1\ta ``` b")).toBe("x/make:\n\n````\na ``` b\n````");
    expect(await shown("a.md", "     1\t# Title")).toBe("a.md:\n\n# Title");
  });

  test.each([
    ["an empty file", "Read", { path: "~/a" }, { result: "" }, "~/a is empty."],
    ["a write", "Write", { path: "~/a" }, { result: "{}" }, "Written to ~/a."],
    ["an edit", "Edit", { path: "~/a" }, { result: "{}" }, "Changed ~/a."],
    ["a deletion", "Delete", { path: "~/a" }, { result: "{}" }, "Deleted ~/a."],
    ["a search that found nothing", "Search", { query: "x" }, { result: "(no matches)" }, 'Nothing found for "x".'],
    ["a search", "Search", { query: "x", path: "~" }, { result: "/h/a:1:x" }, 'Found "x" in ~:\n\n/h/a:1:x'],
    ["a denial", "Delete", { path: "~/a" }, { outcome: "denied" }, "Not done, because it was denied: delete ~/a."],
    [
      "a denial by a person",
      "Delete",
      { path: "~/a" },
      { outcome: "denied", result: "denied by sam; do not try again, ask what to do instead." },
      "Not done: delete ~/a. It was denied by sam.",
    ],
    [
      "a cancelled call",
      "Write",
      { path: "~/a" },
      { outcome: "cancelled" },
      "Not done, because it was cancelled: write to ~/a.",
    ],
    [
      "an error",
      "Read",
      { path: "~/a" },
      { outcome: "failed", result: "no such file" },
      "That did not work: read ~/a. no such file",
    ],
  ])("%s", async (_what, name, args, result, words) => {
    expect(await textOf(afterCall(name, args as { [key: string]: string }, result))).toBe(words);
  });

  test("a call with an unknown outcome is never reported as done", async () => {
    const text = await textOf(afterCall("Write", { path: "~/a" }, { outcome: "unknown" }));
    expect(text).toContain("may or may not have happened: write to ~/a");
  });

  test("results given as JSON read the same as text", async () => {
    const directory = JSON.stringify({ kind: "directory", path: "/", directories: ["b"], files: ["a.md"] });
    expect(await textOf(afterCall("Read", { path: "/" }, { result: directory }))).toBe("/ holds:\n\nb/\na.md");
    const matches = JSON.stringify({
      matches: [{ path: "/h/a", line: 3, content: "x y" }],
      count: 1,
      truncated: false,
    });
    expect(await textOf(afterCall("Search", { query: "x" }, { result: matches }))).toBe('Found "x":\n\n/h/a:3:x y');
  });

  test("running processes become one list of pids, states and names", async () => {
    const asked = await ask(provider, requestOf([{ user: "what is running" }]));
    if (asked.kind !== "turn") throw new Error(asked.kind);
    const outputs = [
      "/proc/init:1000/status:5:State:\trunning\n/proc/task:abc123/status:5:State:\tstopped\n/proc/self/status:5:State:\trunning",
      "/proc/init:1000/status:1:Name:\t-\n/proc/task:abc123/status:1:Name:\tdocs State: audit",
    ];
    const results = asked.calls.map((call, index) => ({ result: outputs[index] ?? "", of: call.id, tool: call.name }));
    const text = await textOf([{ user: "what is running" }, { assistant: "", calls: asked.calls }, ...results]);
    expect(text).toStartWith("2 processes:\n\n");
    expect(text).toMatch(/init:1000 +running\n/);
    expect(text).toMatch(/task:abc123 +stopped +docs State: audit\n/);
    expect(text).toContain("`gsv ps`");
  });
});

describe("a turn answers all new messages", () => {
  test("a message that joined after a tool result is answered together with the result", async () => {
    const said = [...afterCall("Write", { path: "~/a" }, { result: "{}" }), { user: "read ~/a" }, { user: "hello" }];
    const folded = await ask(provider, requestOf(said));
    expect(folded.text).toStartWith("Written to ~/a.\n\nHello.");
    expect(callsOf(folded)).toEqual([{ name: "Read", args: { path: "~/a" } }]);
  });

  test("messages that came together each get an answer", async () => {
    const folded = await ask(provider, requestOf([{ user: 'write "a" to ~/a.md' }, { user: "hello" }, { user: "ls" }]));
    expect(folded.text).toStartWith("Hello.");
    expect(callsOf(folded).map((call) => call.name)).toEqual(["Write", "Read"]);
  });

  test("orders beyond the limit of a turn are listed, never dropped silently", async () => {
    const many = Array.from({ length: LIMITS.toolCallsPerTurnMax + 3 }, (_, index) => ({ user: `read ~/${index}.md` }));
    const folded = await ask(provider, requestOf(many));
    expect(callsOf(folded)).toHaveLength(LIMITS.toolCallsPerTurnMax);
    expect(folded.text).toContain("the last 3 were skipped");
  });

  test("an order of a failed run is not carried out by the next one", async () => {
    const said = [{ user: "delete ~/a.md" }, { event: "Generation failed: down" }, { user: "hello" }];
    expect(callsOf(await ask(provider, requestOf(said)))).toEqual([]);
  });

  test("text from stdin is not an order, and the order before it counts", async () => {
    const said = 'write "seen" to ~/a.md\n\n<stdin bytes="9">\nto /etc/x\n</stdin>';
    expect(await orders(said)).toEqual([{ name: "Write", args: { path: "~/a.md", content: "seen" } }]);
  });

  test.each([
    ["run ls /proc", { command: "ls /proc" }],
    ["please run `ps | grep init`", { command: "ps | grep init" }],
    ['run "npm test" on the host', { command: "npm test", target: "host" }],
    [String.raw`run "echo \"a b\"; ls" on the host`, { command: 'echo "a b"; ls', target: "host" }],
    ["execute the command: ./build.sh --fast on my machine", { command: "./build.sh --fast", target: "host" }],
    ["run 'rm -r \"~/a b\"'", { command: 'rm -r "~/a b"' }],
  ])("%s is a command for the shell", async (said, args) => {
    expect(await orders(said)).toEqual([{ name: "Shell", args }]);
  });

  test.each([
    ["read math.js on the host", "Read", { path: "math.js", target: "host" }],
    ["list src/ on my machine", "Read", { path: "src/", target: "host" }],
    ["find deadline in notes/ on this computer", "Search", { query: "deadline", path: "notes/", target: "host" }],
    [
      'replace "a" by "b" in x.md on the host',
      "Edit",
      { path: "x.md", oldString: "a", newString: "b", target: "host" },
    ],
  ])("%s runs there", async (said, name, args) => {
    expect(await orders(said)).toEqual([{ name, args }]);
  });

  test("every wording of a question about running processes lists gsv's processes", async () => {
    expect((await orders("what is running")).some(({ args }) => "target" in args)).toBe(false);
    expect(intentOf("what is running on this machine")).toEqual({ kind: "question" });
  });

  test("for a missing file the answer explains how to read one of the host", async () => {
    const missing = { outcome: "failed", result: "ENOENT: no such file" } as const;
    expect(await textOf(afterCall("Read", { path: "math.js" }, missing))).toEndWith(
      "\nTo read a file on this computer: read math.js on the host",
    );
    const others: { [key: string]: string }[] = [{ path: "~/math.js" }, { path: "math.js", target: "host" }];
    for (const args of others)
      expect(await textOf(afterCall("Read", args, missing))).not.toContain("of this machine is read");
  });

  test.each([
    "run the tests",
    "run a task in the background",
    "run two agents at once",
    "run",
    "how do I run a script?",
  ])("%s is not a command", async (said) => {
    expect(await orders(said)).toEqual([]);
  });

  test("an event alone is noted, not answered", async () => {
    expect(await textOf([{ event: "task:abc123 ended: ok\nmore" }])).toBe("Noted: task:abc123 ended: ok");
  });

  test("the same request always gets the same events, also from a fresh provider", async () => {
    const other = offlineProvider({ manual: async () => MANUAL });
    for (const message of ["what is running", "how do I stop a process?", "blah blah", "hello", ""]) {
      const request = requestOf([{ user: message }]);
      const events = await eventsOf(provider, request);
      expect(await eventsOf(provider, request)).toEqual(events);
      expect(await eventsOf(other, request)).toEqual(events);
      expect(events.filter((event) => event.type === "done")).toHaveLength(1);
    }
  });

  test("calls of different turns never share an id", async () => {
    const first = await ask(provider, requestOf([{ user: "read a.md" }]));
    const second = await ask(provider, requestOf([{ user: "read a.md" }, { assistant: "" }, { user: "read a.md" }]));
    const ids = [first, second].flatMap((folded) =>
      folded.kind === "turn" ? folded.calls.map((call) => call.id) : [],
    );
    expect(new Set(ids).size).toBe(2);
  });

  test("an aborted request ends as aborted", async () => {
    const events = await eventsOf(provider, requestOf([{ user: "hello" }]), AbortSignal.abort());
    expect(events).toEqual([{ type: "aborted" }]);
  });
});
