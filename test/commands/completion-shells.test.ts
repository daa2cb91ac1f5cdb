// Completion in real shells: the effect of TAB with the scripts of `gsv completion`. Missing shells are skipped with a message.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestHome, until } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { drawn } from "../support/soak.ts";

const home = new TestHome();
const bin = home.beside("bin");
const env = {
  PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
  HOME: home.beside("me"),
  TERM: "xterm",
  GSV_HOME: home.directory,
  LC_ALL: "C.UTF-8",
};
let audit = "";
/** Names that a shell would act on if unquoted. */
const TRAP = `$(touch$\{IFS}PWNED)\`touch$\{IFS}PWNED\``;
const TRAPS = [`zz${TRAP}`, `yy;touch PWNED;'"\\!a`];
const trapped = () => existsSync(join(env.HOME, "PWNED"));

beforeAll(async () => {
  mkdirSync(bin);
  mkdirSync(env.HOME);
  const words = gsvCommand().map((word) => `'${word}'`);
  writeFileSync(join(bin, "gsv"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(join(bin, "gsv"), 0o755);
  writeFileSync(join(env.HOME, "read me.txt"), "");
  audit = (await home.gsv(["spawn", "--label", "docs audit"])).stdout.trim();
  await home.gsv(["mkdir", "-p", "~/notes"]);
  await home.gsv(["touch", "~/notes/today.md", ...TRAPS.map((name) => `~/${name}`), "~/xx\n:files"]);
  for (const [at, name] of TRAPS.entries()) await home.gsv(["cp", "-", `~/${name}`], { stdin: `content ${at}\n` });
  await home.stop();
});

afterAll(() => home.dispose());

function shell(name: string): string | null {
  const path = Bun.which(name, { PATH: env.PATH });
  if (path === null) process.stderr.write(`${name} is not installed: its completion is not tried\n`);
  return path;
}

/** Presses keys in an interactive shell, each line after the screen shows the effect of the last one. */
async function pressed(
  argv: readonly string[],
  steps: readonly (readonly [keys: string, shows: string])[],
): Promise<string> {
  let screen = "";
  const child = Bun.spawn([...argv], {
    env,
    cwd: env.HOME,
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal: unknown, bytes: Uint8Array) => {
        screen += new TextDecoder().decode(bytes);
      },
    },
  });
  try {
    for (const [keys, shows] of steps) {
      const from = screen.length;
      child.terminal?.write(keys);
      await until(`${JSON.stringify(keys)} shows ${shows}`, () => screen.slice(from).includes(shows), 8_000).catch(
        (error) => {
          throw new Error(`${error}\n${JSON.stringify(screen)}`);
        },
      );
    }
    return screen;
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

describe.skipIf(shell("bash") === null)("bash", () => {
  /** COMPREPLY for words as bash would split them, joined by blanks. */
  function replies(...lines: string[]): string[] {
    const reply = `IFS=' ' read -ra COMP_WORDS <<< "$each"; COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _gsv; echo "\${COMPREPLY[*]}"`;
    const script = `source <(gsv completion bash); for each; do ${reply}; done`;
    const child = Bun.spawnSync(["bash", "--norc", "-c", script, "bash", ...lines], { env, stdin: "ignore" });
    expect(child.stderr.toString()).toBe("");
    return child.stdout.toString().split("\n").slice(0, -1);
  }

  test("TAB completes gsv kill ta to the pid", async () => {
    const steps = [
      ["source <(gsv completion bash); echo loa''ded\n", "loaded"],
      ["gsv kill ta\t", audit.slice(2)],
    ] as const;
    expect(await pressed(["bash", "--norc", "-i"], steps)).toContain(`gsv kill ${audit}`);
  }, 20_000);

  test("TAB completes a pid after its prefix and colon, and files", async () => {
    const steps = [
      ["source <(gsv completion bash); echo loa''ded\n", "loaded"],
      [`gsv logs ${audit.slice(0, 6)}\t`, audit.slice(6)],
      ["\u0015gsv spawn --cwd re\t", "read\\ me.txt"],
      ["\u0015gsv cat no\t", "tes/"],
      ["\t", "today.md"],
    ] as const;
    await pressed(["bash", "--norc", "-i"], steps);
  }, 20_000);

  test("TAB after --user NAME works as without it, and --set completes its value", async () => {
    const steps = [
      ["source <(gsv completion bash); echo loa''ded\n", "loaded"],
      ["gsv kill --user ro\t", "root"],
      ["ta\t", audit.slice(2)],
      ["\u0015gsv chat --set compaction.en\t", "abled="],
      ["fa\t", "lse"],
    ] as const;
    expect(await pressed(["bash", "--norc", "-i"], steps)).toContain("compaction.enabled=false");
  }, 20_000);

  test("a file's name is completed as a name, whatever it contains, and nothing of it runs", async () => {
    const typed = [
      ["/home/sam/zz", "content 0"],
      ["'/home/sam/zz", "content 0"],
      ['"/home/sam/zz', "content 0"],
      ["\\~/yy", "content 1"],
      ["'/home/sam/yy", "content 1"],
      ['"/home/sam/yy', "content 1"],
    ] as const;
    const steps = drawn(3, typed).flatMap(([path, content]) => [
      [`gsv cat ${path}\t`, "PWNED"] as const,
      ["\n", content] as const,
    ]);
    await pressed(["bash", "--norc", "-i"], [["source <(gsv completion bash); echo loa''ded\n", "loaded"], ...steps]);
    expect(trapped()).toBe(false);
  }, 30_000);

  test("words that bash splits at : and = are joined, and only the last piece is replaced", () => {
    const wanted = {
      "gsv kill ta": audit,
      "gsv kill task :": audit.slice(5),
      [`gsv kill task : ${audit.slice(5, 7)}`]: audit.slice(5),
      [`gsv kill ${audit.slice(0, 7)}`]: audit,
      "gsv kill init : 1000 ta": audit,
      "gsv spawn --profile = ta": "task",
      "gsv proc sp": "spawn",
    };
    expect(replies(...Object.keys(wanted))).toEqual(Object.values(wanted));
  });

  test("apart from gsv's own names the script leaves no trace in the shell", () => {
    const script =
      'before=$(compgen -v | sort); source <(gsv completion bash); COMP_WORDS=(gsv p); COMP_CWORD=1; _gsv; unset COMP_WORDS COMP_CWORD COMPREPLY; diff <(echo "$before") <(compgen -v | grep -vx before | sort)';
    const child = Bun.spawnSync(["bash", "--norc", "-c", script], { env, stdin: "ignore" });
    const left = child.stdout
      .toString()
      .split("\n")
      .filter((line) => /^[<>]/.test(line) && !/^[<>] (?:_|BASH.*|PIPESTATUS|LINENO|RANDOM)$/.test(line));
    expect(left).toEqual([]);
  });
});

describe.skipIf(shell("zsh") === null)("zsh", () => {
  test("TAB completes a pid, and files for a path", async () => {
    const steps = [
      ["source <(gsv completion zsh); echo loa''ded\n", "loaded"],
      ["gsv kill ta\t", audit.slice(2)],
      ["\u0015gsv proc sp\t", "awn"],
      ["\u0015gsv spawn --cwd re\t", "ad\\ me.txt"],
      ["\u0015gsv kill --user root ta\t", audit.slice(2)],
      ["\u0015gsv chat --set compaction.en\t", "abled="],
      ["fa\t", "lse"],
    ] as const;
    await pressed(["zsh", "-f", "-i"], steps);
  }, 30_000);

  test("a file's name is completed as a name, and nothing of it runs", async () => {
    const steps = [
      ["source <(gsv completion zsh); echo loa''ded\n", "loaded"],
      ["gsv cat /home/sam/zz\t", "PWNED"],
      ["\n", "content 0"],
      ['gsv cat "/home/sam/yy\t', "PWNED"],
      ["\n", "content 1"],
    ] as const;
    await pressed(["zsh", "-f", "-i"], steps);
    expect(trapped()).toBe(false);
  }, 30_000);

  test("descriptions are shown next to the candidates", async () => {
    const steps = [
      ["source <(gsv completion zsh); echo loa''ded\n", "loaded"],
      ["gsv kill \t\t", "docs audit"],
    ] as const;
    await pressed(["zsh", "-f", "-i"], steps);
  }, 30_000);
});

describe.skipIf(shell("fish") === null)("fish", () => {
  function offers(line: string): string[] {
    const script = `gsv completion fish | source; complete -C ${JSON.stringify(line)}`;
    const child = Bun.spawnSync(["fish", "--no-config", "-c", script], { env, cwd: env.HOME, stdin: "ignore" });
    expect(child.stderr.toString()).toBe("");
    return child.stdout
      .toString()
      .split("\n")
      .filter((each) => each !== "");
  }

  test("pids come with their labels, flags with their values, and files for a path", () => {
    expect(offers("gsv kill ta")).toEqual([`${audit}\tdocs audit · idle`]);
    expect(offers("gsv spawn --profile=re")).toEqual(["--profile=review"]);
    expect(offers("gsv spawn --profile re")).toEqual(["review"]);
    expect(offers("gsv spawn --cwd re")).toEqual(["read me.txt"]);
    expect(offers("gsv kill --user root ta")).toEqual([`${audit}\tdocs audit · idle`]);
    expect(offers("gsv chat --set compaction.enabled=f")).toEqual(["compaction.enabled=false"]);
    expect(offers("gsv cat /home/sam/zz").map((each) => each.replace(/\t.*/, ""))).toEqual([`/home/sam/${TRAPS[0]}`]);
    expect(trapped()).toBe(false);
    expect(offers("gsv").every((each) => !each.startsWith("_"))).toBe(true);
  }, 20_000);
});

describe("limits", () => {
  test("a name of more than one line is not offered", async () => {
    expect((await home.gsv(["__complete", "1", "cat", "~/xx"])).stdout).toBe("");
  });

  test("completion starts no kernel", async () => {
    expect((await home.gsv(["__complete", "1", "kill", "ta"])).stdout).toContain(audit);
    expect(home.processes).toEqual([]);
  });

  test("completion creates no home, and reads none that is shared or damaged", async () => {
    const none = home.beside("nowhere");
    expect(await home.gsv(["__complete", "1", "kill", ""], { env: { GSV_HOME: none } })).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(existsSync(none)).toBe(false);
    chmodSync(home.directory, 0o755);
    expect(await home.gsv(["__complete", "1", "kill", ""])).toEqual({ status: 0, stdout: "", stderr: "" });
    chmodSync(home.directory, 0o700);
    const broken = home.beside("broken");
    mkdirSync(broken, { mode: 0o700 });
    writeFileSync(join(broken, "kernel.db"), "no database");
    expect(await home.gsv(["__complete", "1", "kill", ""], { env: { GSV_HOME: broken } })).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    rmSync(broken, { recursive: true });
    expect(await home.gsv(["__complete", "1", "kill", ""], { env: { GSV_HOME: "relative" } })).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
  });
});
