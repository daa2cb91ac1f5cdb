// Where a line goes while it is typed, tried with 150 lines of each kind: gsv's own programs, programs of this computer, and words.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { INTERPRETER } from "../../../src/shell/interpreter/interpreter.ts";
import { programNames } from "../../../src/shell/interpreter/names.ts";
import { isAbsent, PROGRAMS } from "../../../src/shell/programs/table.ts";
import { routeOf } from "../../../tui/verdict/route.ts";

const programs = new Set([...(await programNames()), ...INTERPRETER, ...PROGRAMS.keys(), "gsv"]);
for (const name of programs) if (isAbsent(name)) programs.delete(name);
/** The PATH of a computer on which people write software. */
const PATH = new Set(
  [
    "git npm npx node pnpm yarn bun deno tsc cargo rustc rustup go gofmt python3 python pip pip3 pipx uv poetry ruby gem bundle rake rails php composer java",
    "javac mvn gradle kotlin scala sbt make cmake ninja meson gcc g++ clang cc gdb lldb valgrind docker docker-compose podman kubectl helm terraform ansible",
    "aws gcloud az gh hub glab ssh scp rsync curl wget vim nvim nano emacs code htop btop tmux screen less more open xdg-open psql mysql sqlite3 redis-cli",
    "mongo brew apt apt-get sudo systemctl journalctl service jq yq rg fd fzf bat eza tree zip unzip ffmpeg convert compare display import pandoc just task",
    "pytest jest vitest eslint prettier black ruff mypy flask django-admin uvicorn ollama claude codex say who what as at bc cal df du free top ps kill find",
    "grep sed awk tar time test ls cat echo sort head tail watch split join write look strip link ld perf strace ltrace lsof nc ping dig host traceroute ip play",
  ]
    .join(" ")
    .split(" "),
);
const FILES = new Set(
  "src test README.md package.json foo.py main.go Makefile notes.md ./run.sh ./gradlew ~/notes /proc/self data.csv .".split(
    " ",
  ),
);
const known = {
  isProgram: (word: string) => programs.has(word),
  isSlash: (word: string) => ["help", "quit", "compact", "model"].includes(word),
  isHostProgram: (word: string) => PATH.has(word),
  exists: (word: string) => FILES.has(word),
};

function wrong(lines: readonly string[], wanted: string): readonly string[] {
  return lines.filter((line) => routeOf(line, known).to !== wanted);
}

test.each([
  ["gsv's shell", "shell-lines.txt", "shell"],
  ["this computer", "host-lines.txt", "host"],
  ["the process", "word-lines.txt", "chat"],
] as const)("150 lines for %s go there", (_, file, wanted) => {
  const lines = readFileSync(join(import.meta.dir, file), "utf8")
    .trimEnd()
    .split("\n");
  expect(new Set(lines).size).toBeGreaterThanOrEqual(150);
  expect(wrong(lines, wanted)).toEqual([]);
});

test("a program that both have runs in gsv's shell, and with ! on this computer", () => {
  expect(routeOf("ls src", known)).toEqual({ to: "shell", text: "ls src" });
  expect(routeOf("! ls src", known)).toEqual({ to: "host", text: "ls src" });
});

test("a program that no PATH has is no line for this computer", () => {
  expect(routeOf("frobnicate all of it", known).to).toBe("chat");
});
