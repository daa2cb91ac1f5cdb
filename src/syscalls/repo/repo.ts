// repo.*: versioned files. The default repository is the home's: context.d, skills.d and knowledge.

import type { Commit, FileChange, RepoDiff, RepoInfo, RepoMatch, RepoOp, RepoRef, RepoView } from "../../abi/repo.ts";
import { field, syscall, value } from "../define.ts";
import { commitLine } from "../format.ts";
import type { Changed, Imported, Repositories, SyncedRepo } from "./repo-service.ts";

type Matches = { matches: readonly RepoMatch[]; truncated: boolean };
type Service = { repositories: Repositories };

const repo = field.withDefault(field.text("repository: NAME or OWNER/NAME", { longest: 100, meta: "REPO" }), "home");
const ref = field.withDefault(field.text("version", { longest: 200, meta: "VERSION" }), "HEAD");
const inPath = field.optional(field.text("only below this path", { longest: 4096, meta: "PATH" }));
const remote = field.text("path on this computer, or an https:, ssh: or file: URL", {
  positional: true,
  longest: 2048,
  meta: "REMOTE",
});
const branch = field.withDefault(field.text("remote branch", { longest: 100, meta: "BRANCH" }), "main");

function when(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

function short(id: string | null): string {
  return id === null ? "-" : id.slice(0, 10);
}

function diffText({ text, truncated }: RepoDiff): string {
  if (text === "") return "(no differences)";
  return `${text.trimEnd()}${truncated ? "\n… cut: name a path" : ""}`;
}

function changeText({ path, added, removed }: FileChange): string {
  return added === null || removed === null ? `${path} (binary)` : `${path} +${added} -${removed}`;
}

function changedText({ repo: name, head, changed }: Changed): string {
  return changed ? `${name} is at ${short(head)}` : `${name} is unchanged at ${short(head)}`;
}

export const repoCalls = [
  syscall({
    name: "repo.list",
    summary: "List repositories",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv repo list"],
      print: {
        kind: "table",
        rows: (result: { repos: readonly RepoInfo[] }) => result.repos,
        columns: [
          { head: "REPO", cell: (row: RepoInfo) => row.repo },
          { head: "KIND", cell: (row: RepoInfo) => row.kind },
          { head: "HEAD", cell: (row: RepoInfo) => short(row.head) },
          { head: "PATH", cell: (row: RepoInfo) => row.path, shrink: "start" },
        ],
        empty: "no repositories yet",
      },
    },
    run: ({ repositories }: Service, _args, { caller }) => repositories.list(caller),
  }),

  syscall({
    name: "repo.create",
    summary: "Create an empty repository",
    class: "keyed",
    input: { name: field.text("name", { positional: true, longest: 100, meta: "NAME" }) },
    cli: { examples: ["gsv repo create notes"], print: value(({ repo: name, path }: RepoInfo) => `${name} (${path})`) },
    run: ({ repositories }: Service, { name }, context) => repositories.create(context, name),
  }),

  syscall({
    name: "repo.refs",
    summary: "List branches and tags",
    class: "read",
    input: { repo },
    cli: {
      examples: ["gsv repo refs", "gsv repo refs --repo notes"],
      print: {
        kind: "table",
        rows: (result: { refs: readonly RepoRef[] }) => result.refs,
        columns: [
          { head: "NAME", cell: (row: RepoRef) => row.name },
          { head: "KIND", cell: (row: RepoRef) => row.kind },
          { head: "VERSION", cell: (row: RepoRef) => short(row.commit) },
          { head: "AGE", since: (row: RepoRef) => row.at },
        ],
        empty: "no commits yet",
      },
    },
    run: ({ repositories }: Service, args, { caller }) => repositories.refs(caller, args),
  }),

  syscall({
    name: "repo.read",
    summary: "Print a file or directory of a version",
    class: "read",
    input: {
      path: field.withDefault(
        field.text("file or directory, relative to the repository", { positional: true, longest: 4096, meta: "PATH" }),
        "",
      ),
      repo,
      ref,
    },
    cli: {
      examples: ["gsv repo read context.d/10-style.md --ref HEAD~1", "gsv repo read"],
      print: value((view: RepoView) =>
        view.kind === "file"
          ? (view.content ?? `(${view.size} bytes, not text)`)
          : view.entries.map(({ path, kind }) => (kind === "directory" ? `${path}/` : path)).join("\n"),
      ),
    },
    run: ({ repositories }: Service, args, { caller }) => repositories.read(caller, args),
  }),

  syscall({
    name: "repo.search",
    summary: "Search the files of a version",
    class: "read",
    input: {
      query: field.text("text to find", { positional: true, longest: 1024, shortest: 1, meta: "TEXT" }),
      repo,
      ref,
      path: inPath,
    },
    cli: {
      examples: ['gsv repo search "deadline" --ref HEAD~5'],
      print: {
        kind: "list",
        rows: (result: Matches) => result.matches,
        line: (match: RepoMatch) => `${match.path}:${match.line}:${match.content}`,
        empty: "(no matches)",
        note: (result: Matches) => (result.truncated ? "more matches exist: narrow the path or the text" : null),
      },
    },
    run: ({ repositories }: Service, args, { caller, signal }) => repositories.search(caller, args, signal),
  }),

  syscall({
    name: "repo.log",
    summary: "List versions, newest first",
    class: "read",
    input: {
      repo,
      ref,
      path: inPath,
      limit: field.withDefault(field.int("maximum number of versions", { min: 1, max: 100, meta: "N" }), 30),
      offset: field.withDefault(field.int("number of newest versions to skip", { min: 0, meta: "N" }), 0),
    },
    cli: {
      examples: ["gsv repo log", "gsv repo log --path context.d/10-style.md"],
      print: {
        kind: "list",
        rows: (result: { commits: readonly Commit[] }) => result.commits,
        line: commitLine,
        empty: "no commits yet",
      },
    },
    run: async ({ repositories }: Service, args, { caller }) => repositories.log(caller, args),
  }),

  syscall({
    name: "repo.show",
    summary: "Show a version and its changes",
    class: "read",
    capability: "repo.read",
    input: {
      commit: field.withDefault(field.text("version", { positional: true, longest: 200, meta: "VERSION" }), "HEAD"),
      repo,
    },
    cli: {
      examples: ["gsv repo show", "gsv repo show HEAD~2"],
      print: value(
        ({ commit, diff }: { commit: Commit; diff: RepoDiff }) =>
          `${commit.id}\n${commit.author} <${commit.email}>  ${when(commit.at)}\n\n${commit.message}\n\n${diffText(diff)}`,
      ),
    },
    run: ({ repositories }: Service, args, { caller }) => repositories.show(caller, args),
  }),

  syscall({
    name: "repo.diff",
    summary: "Show what changed between two versions",
    class: "read",
    input: {
      from: field.withDefault(
        field.text("older version (default: the one before the newer)", {
          positional: true,
          longest: 200,
          meta: "OLDER",
        }),
        "",
      ),
      to: field.withDefault(field.text("newer version", { positional: true, longest: 200, meta: "NEWER" }), "HEAD"),
      repo,
      path: inPath,
      context: field.withDefault(field.int("lines of context", { min: 0, max: 20, meta: "N" }), 3),
    },
    cli: { examples: ["gsv repo diff", "gsv repo diff HEAD~3 HEAD --path context.d"], print: value(diffText) },
    run: ({ repositories }: Service, args, { caller }) => repositories.diff(caller, args),
  }),

  syscall({
    name: "repo.compare",
    summary: "Compare two versions or branches by file",
    class: "read",
    input: {
      base: field.text("first version", { positional: true, longest: 200, meta: "BASE" }),
      head: field.withDefault(
        field.text("second version", { positional: true, longest: 200, meta: "VERSION" }),
        "HEAD",
      ),
      repo,
    },
    cli: {
      examples: ["gsv repo compare HEAD~5"],
      print: value(({ ahead, behind, diff }: { ahead: number; behind: number; diff: RepoDiff }) =>
        [`${ahead} ahead, ${behind} behind`, ...diff.files.map(changeText)].join("\n"),
      ),
    },
    run: ({ repositories }: Service, args, { caller }) => repositories.compare(caller, args),
  }),

  syscall({
    name: "repo.restore",
    summary: "Restore a file or directory from a version",
    class: "keyed",
    capability: "repo.apply",
    input: {
      path: field.text("file or directory", { positional: true, longest: 4096, meta: "PATH" }),
      ref: field.withDefault(field.text("version to restore", { longest: 200, meta: "VERSION" }), "HEAD~1"),
      repo,
    },
    cli: { examples: ["gsv repo restore context.d/10-style.md --ref HEAD~1"], print: value(changedText) },
    run: ({ repositories }: Service, args, context) => repositories.restore(context, args),
  }),

  syscall({
    name: "repo.apply",
    summary: "Commit several changes at once",
    class: "keyed",
    input: {
      changes: field.object('{"ops":[{"put":PATH,"content":TEXT}, {"delete":PATH}, {"move":PATH,"to":PATH}]}', {
        positional: true,
        meta: "JSON",
      }),
      message: field.text("why", { letter: "m", longest: 2000, shortest: 1, meta: "TEXT" }),
      expectedHead: field.optional(
        field.text("only if this is the newest version", { flag: "expected-head", longest: 64, meta: "VERSION" }),
      ),
      repo,
    },
    cli: {
      examples: [`gsv repo apply '{"ops":[{"put":"todo.md","content":"call the bank"}]}' -m "a list" --repo notes`],
      print: value(changedText),
    },
    run: ({ repositories }: Service, { changes, ...request }, context) => {
      const ops = Array.isArray(changes.ops) ? (changes.ops as RepoOp[]) : [];
      return repositories.apply(context, { ...request, ops });
    },
  }),

  syscall({
    name: "repo.import",
    summary: "Import or update a repository",
    class: "keyed",
    input: { remote, repo: field.text("local name", { positional: true, longest: 100, meta: "NAME" }), branch },
    cli: {
      examples: ["gsv repo import https://example.org/notes.git notes", "gsv repo import ~/src/notes notes"],
      print: value((result: Imported) =>
        result.diverged
          ? `${result.repo} stays at ${short(result.head)}: both it and upstream (${short(result.upstream)}) have new versions`
          : changedText(result),
      ),
    },
    run: ({ repositories }: Service, args, context) => repositories.import(context, args),
  }),

  syscall({
    name: "repo.sync",
    summary: "Fetch and push new versions",
    class: "keyed",
    capability: "repo.import",
    input: { remote, repo, branch },
    cli: {
      examples: ["gsv repo sync git@example.org:me/home.git", "gsv repo sync /media/stick/home.git"],
      print: value(
        ({ repo: name, head, pulled, pushed, merged }: SyncedRepo) =>
          `${name} is at ${short(head)}: ${pulled} fetched, ${pushed} pushed${merged ? ", merged" : ""}`,
      ),
    },
    run: ({ repositories }: Service, args, context) => repositories.sync(context, args),
  }),

  syscall({
    name: "repo.delete",
    summary: "Delete a repository with all its versions",
    class: "keyed",
    by: "person",
    capability: "repo.create",
    input: {
      repo: field.text("repository", { positional: true, longest: 100, meta: "REPO" }),
      force: field.flag("even if it has versions"),
    },
    cli: {
      examples: ["gsv repo delete notes", "gsv repo delete --force notes"],
      print: value((result: { repo: string }) => `deleted ${result.repo}`),
    },
    run: ({ repositories }: Service, args, context) => repositories.remove(context, args.repo, args.force === true),
  }),
] as const;
