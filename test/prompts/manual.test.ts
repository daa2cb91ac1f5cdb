import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { titleKey } from "../../src/lib/search.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { dayPrompt, processPrompt, systemPrompt } from "../../src/prompts/system.ts";
import { parseScript } from "../../src/providers/script-file.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";

/** Commands written by hand, with the flags they take. */
const BY_HAND: { readonly [name: string]: string } = {
  chat: "--pid --new --model --json --output --stream --no-stdin --interrupt --wait --timeout --kill-on-timeout --label --budget --usage -a --input --mode",
  usage: "--by --since --pid --csv",
  budget: "",
  wait: "--timeout --wait",
  kill: "-STOP -CONT -INT -TERM -KILL -0 -9 -s",
  logs: "--limit -f",
  kernel: "",
  doctor: "--fix --provider",
  fsck: "--repair",
  paths: "",
  help: "--no-pager",
  man: "-k --no-pager",
  api: "--request-id",
  completion: "",
  backup: "--force",
  restore: "--force",
  df: "",
  ls: "-l -a -d -R -h -t -S -r -1 -lt -lh",
  cat: "",
  tail: "-n -f",
  cp: "-r -p -f -n",
  mv: "-n -f",
  rm: "-r -f -i",
  mkdir: "-p -m",
  edit: "",
  tree: "-L -a -d",
  stat: "-L",
  find: "-name -iname -path -type -size -mtime -mmin -newer -empty -mindepth -maxdepth -print0 -7",
  grep: "-r -n -i -l -c -v -F -E -w -q -rn",
  ln: "-s -f",
  chmod: "-R",
  chown: "-R",
  touch: "-c -d",
  du: "-s -a -b -h -sb -sh",
  sh: "-c --timeout --host --no-sandbox",
  approvals: "--watch",
  approve: "--always --edit",
  deny: "-m",
  answer: "",
  user: "--agent --system --owner --comment --lock --unlock --force",
  passwd: "",
  context: "--of --pid",
  diff: "--run --turn --stat",
  undo: "--run --force --redo",
  rewind: "--files --history --both --force",
  prompt: "--turn --run --bill --text",
  skills: "--description",
  media: "",
  history: "--pressure --keep --overflow --unset --limit --pid --since",
  auth: "--kind --role --label --device --expires --reason --env --helper",
};
const SHORT: { readonly [name: string]: string } = {
  ps: "proc.list",
  fetch: "net.fetch",
  models: "ai.models",
  mode: "proc.mode",
  model: "proc.model",
  send: "proc.send",
  spawn: "proc.spawn",
  caps: "proc.caps",
  compact: "proc.compact",
  fork: "proc.fork",
  audit: "audit.list",
};
const VERBS_BESIDE_SYSCALLS = ["proc stop", "proc resume", "proc wait", "config edit", "policy edit"];
/** Flags of hand-written verbs that their syscalls do not have. */
const FLAGS_BESIDE_SYSCALLS = ["--no-archive", "-v", "--profile", "--system"];

function flagsOf(call: string): string[] {
  const fields = Object.entries(SYSCALLS.get(call)?.input ?? {});
  return fields.map(
    ([name, spec]) => `--${spec.flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
}

/** What is wrong with one gsv command line of the manual, or null. */
function faultOf(line: string): string | null {
  const [noun = "", verb = ""] = line.split(/\s+/);
  const flags = (line.replace(/"[^"]*"|'[^']*'/g, "").match(/(?<=\s)--?[A-Za-z0-9][\w-]*/g) ?? []).filter(
    (flag) => !["--json", "--help", "--user", "--set"].includes(flag),
  );
  if (["--version", "--plain"].includes(noun)) return null;
  const call = SHORT[noun] ?? `${noun}.${verb}`;
  const byHand = Object.hasOwn(BY_HAND, noun) ? BY_HAND[noun] : undefined;
  if (byHand === undefined && VERBS_BESIDE_SYSCALLS.includes(`${noun} ${verb}`)) return null;
  if (byHand === undefined && !SYSCALLS.has(call)) return `no such command: ${noun} ${verb}`;
  const known = byHand === undefined ? flagsOf(call).concat(FLAGS_BESIDE_SYSCALLS) : byHand.split(" ");
  const stranger = flags.find((flag) => !known.includes(flag));
  return stranger === undefined ? null : `${noun} ${verb} has no flag ${stranger}`;
}

describe("the manual", () => {
  test("holds every page of its directory, each cut into sections with a heading and text", () => {
    const pages = readdirSync(`${import.meta.dir}/../../src/prompts/manual`).map((name) => name.replace(/\.md$/, ""));
    expect([...new Set(MANUAL.map((section) => section.page))].sort()).toEqual(pages.sort());
    for (const section of MANUAL) {
      expect(section.heading).not.toBe("");
      expect(section.words).not.toBe("");
      expect(section.about).toMatch(/^[^\n]{10,80}$/);
      expect(section.text).not.toContain("<!--");
      expect(section.commands.length).toBeGreaterThan(0);
    }
  });

  test("has no two sections whose titles small words alone tell apart", () => {
    expect(new Set(MANUAL.map((section) => titleKey(section.heading))).size).toBe(MANUAL.length);
    expect(MANUAL.filter((section) => titleKey(section.heading) === "")).toEqual([]);
  });

  test("names only commands and flags that exist", () => {
    const lines = MANUAL.flatMap((section) => [
      ...section.commands,
      ...[...section.text.matchAll(/`(gsv [^`]+)`/g)].map((match) => match[1] ?? ""),
    ]);
    const commands = lines.flatMap((line) => [...line.matchAll(/(?<![-\w./])gsv ((?:"[^"]*"|'[^']*'|[^;|&)])+)/g)]);
    const written = commands.map((match) => match[1]?.trim() ?? "").filter((line) => !/^NOUN/.test(line));
    expect(written.length).toBeGreaterThan(80);
    expect(written.flatMap((line) => faultOf(line) ?? [])).toEqual([]);
  });

  test("shows script lines that the script provider takes", () => {
    const lines = MANUAL.flatMap((section) => section.commands).flatMap(
      (line) => /^echo '(\{.*\})'/.exec(line)?.[1] ?? [],
    );
    expect(lines.length).toBeGreaterThan(2);
    expect(parseScript(lines.join("\n"))).toHaveLength(lines.length);
  });

  test("finds a command that does not exist, so the check is awake", () => {
    expect(faultOf("proc explode task:abc123")).toContain("no such command");
    expect(faultOf("proc kill task:abc123 --gently")).toContain("--gently");
    expect(faultOf("chat --loud hello")).toContain("--loud");
  });
});

describe("what gsv itself says to an agent", () => {
  const facts = { username: "sam-agent", owner: "sam", home: "/home/sam", cwd: "/home/sam/docs" };
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  const said = (at: number) =>
    systemPrompt(facts) + processPrompt({ ...facts, pid: "task:abc123", profile: "task" }) + dayPrompt(at);

  test("is who acts for whom and where, in at most 2.5 KB", () => {
    for (const fact of ["sam-agent", "for sam", "/home/sam/docs", "task:abc123", "2026-01-02"])
      expect(said(now)).toContain(fact);
    expect(Buffer.byteLength(said(now))).toBeLessThanOrEqual(2560);
  });

  test("is the same all day, so that a model's cache of it holds", () => {
    expect(said(now + 3_600_000)).toBe(said(now));
  });
});
