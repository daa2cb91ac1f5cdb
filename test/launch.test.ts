// The Node launcher passes on arguments, directory, streams, signals and exit status, and nothing else. It runs in a copy of the project
// with a main.ts that reports its input; the installed modules are shared.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawn } from "./support/soak.ts";

const ROOT = join(import.meta.dir, "..");
const project = realpathSync(mkdtempSync(join(tmpdir(), "gsv-launch-")));
const person = join(project, "elsewhere");

beforeAll(() => {
  mkdirSync(join(project, "src"));
  mkdirSync(person);
  for (const name of ["src/launch.mjs", "package.json", "bun.lock", "bunfig.toml", "tsconfig.json", ".npmrc"]) {
    copyFileSync(join(ROOT, name), join(project, name));
  }
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  writeFileSync(join(person, "bunfig.toml"), 'preload = ["./canary.ts"]\n');
  writeFileSync(join(person, "canary.ts"), 'console.log("it ran");\n');
  writeFileSync(join(person, ".env"), "CANARY=loaded\n");
  const paths = { "*": [join(person, "canary.ts")] };
  writeFileSync(join(person, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
  writeFileSync(
    join(project, "src", "main.ts"),
    `import "zod";
    const [what, value] = process.argv.slice(2);
    if (what === "exit") process.exit(Number(value));
    if (what === "wait") {
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => { console.log(name); process.exit(7); });
      // From inside the loop: a signal before it runs may be lost.
      setImmediate(() => console.log("ready"));
      setInterval(() => {}, 1000);
    } else if (what === "die") process.kill(process.pid, "SIGKILL");
    else console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env, stdin: await Bun.stdin.text() }));`,
  );
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

function launch(args: string[], options: { env?: Record<string, string>; stdin?: string } = {}) {
  return Bun.spawn([Bun.which("node") ?? "node", join(project, "src", "launch.mjs"), ...args], {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", HOME: project, ...options.env },
    stdin: new Blob([options.stdin ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function report(args: string[], options: { env?: Record<string, string>; stdin?: string } = {}) {
  const child = launch(args, options);
  return JSON.parse(await child.stdout.text()) as {
    args: string[];
    cwd: string;
    env: Record<string, string>;
    stdin: string;
  };
}

test("arguments and standard input arrive unchanged", async () => {
  const seen = await report(["start", "chat", "--json", "two words", "--", "-x", ""], { stdin: "piped\n" });
  expect(seen.args).toEqual(["chat", "--json", "two words", "--", "-x", ""]);
  expect(seen.stdin).toBe("piped\n");
});

test("gsv runs in the caller's directory and loads none of its .env, bunfig.toml and tsconfig.json", async () => {
  const seen = await report(["start"], { env: { INIT_CWD: person } });
  expect(seen.cwd).toBe(person);
  expect(seen.env.CANARY).toBeUndefined();
});

test("a directory that is missing, relative or a file is not used as the caller's", async () => {
  for (const from of drawn(1, [join(project, "gone"), "src", join(project, "package.json")])) {
    const { cwd } = await report(["start"], { env: { INIT_CWD: from } });
    expect([from, cwd]).toEqual([from, project]);
  }
});

test("options of Bun, Node and npm do not reach gsv, everything else does", async () => {
  const seen = await report(["start"], {
    env: {
      BUN_OPTIONS: "--bogus",
      NODE_ENV: "x",
      npm_config_loglevel: "silent",
      INIT_CWD: person,
      GSV_MODEL: "offline",
      LANG: "C",
    },
  });
  expect(Object.keys(seen.env).filter((name) => /^(?:BUN_|NODE_|npm_|INIT_CWD)/.test(name))).toEqual([]);
  expect(seen.env).toMatchObject({ GSV_MODEL: "offline", LANG: "C" });
});

test("the launcher exits with gsv's status, and with 128 plus the number after a signal", async () => {
  for (const status of drawn(2, [0, 3, 75, 130]))
    expect(await launch(["start", "exit", String(status)]).exited).toBe(status);
  expect(await launch(["start", "die"]).exited).toBe(137);
});

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  test(`${signal} reaches gsv once, and gsv decides the exit status`, async () => {
    const child = launch(["start", "wait"]);
    const reader = child.stdout.getReader();
    let output = "";
    // A runtime that has just installed its handler may lose a signal; that is not the launcher's fault.
    const again = setInterval(() => output === "ready\n" && child.kill(signal), 3000);
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      output += Buffer.from(chunk.value).toString();
      if (output === "ready\n") child.kill(signal);
    }
    clearInterval(again);
    expect(output).toBe(`ready\n${signal}\n`);
    expect(await child.exited).toBe(7);
  });
}

test("an unknown script is refused with the list of scripts", async () => {
  const child = launch(["strat"]);
  expect(await child.stderr.text()).toMatch(/^gsv: no script "strat" \(known: start, .*\)\n$/);
  expect(await child.exited).toBe(2);
});

test("an installation without a network fails with one line and leaves no trace", async () => {
  const bare = join(project, "bare");
  mkdirSync(join(bare, "src"), { recursive: true });
  for (const name of ["src/launch.mjs", "package.json", "bun.lock", "bunfig.toml"])
    copyFileSync(join(ROOT, name), join(bare, name));
  const child = Bun.spawn([Bun.which("node") ?? "node", join(bare, "src", "launch.mjs"), "start"], {
    env: {
      PATH: process.env.PATH ?? "",
      HOME: bare,
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
    },
    stderr: "pipe",
  });
  expect(await child.stderr.text()).toBe(
    "gsv: installing missing packages ...\n" +
      "gsv: cannot install packages: the registry does not answer; try again online\n",
  );
  expect(await child.exited).toBe(75);
  expect(await Bun.file(join(bare, "node_modules", ".installed-for")).exists()).toBe(false);
});
