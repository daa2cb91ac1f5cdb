// A repository that runs a program at every occasion git knows: hooks, monitors, filters, drivers, helpers, by its own configuration and
// by one it includes; with an embedded bare repository, a submodule and links that lead out. Each program leaves its name behind.

import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { plainGit } from "./git.ts";

const HOOKS = [
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit",
  "pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update",
  "reference-transaction push-to-checkout pre-auto-gc post-rewrite fsmonitor-watchman post-index-change sendemail-validate",
]
  .join(" ")
  .split(" ");

export class HostileRepo {
  readonly directory: string;
  readonly bare: string;
  /** A file that its links point to. */
  readonly outside: string;
  private readonly ranDir: string;

  constructor(private readonly root: string) {
    this.directory = join(root, "hostile");
    this.bare = join(root, "hostile.git");
    this.outside = join(root, "outside.md");
    this.ranDir = join(root, "ran");
    mkdirSync(this.ranDir);
    plainGit(root, "init", "-q", "-b", "main", this.directory);
    this.fill();
    plainGit(this.directory, "add", "-A");
    plainGit(this.directory, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},knowledge/module`);
    plainGit(this.directory, "commit", "-q", "-m", "harmless");
    plainGit(root, "clone", "-q", "--bare", this.directory, this.bare);
    this.arm(join(this.directory, ".git"));
    this.arm(this.bare);
    this.arm(join(this.directory, "knowledge/bare"));
  }

  /** Names of the programs that ran. */
  ran(): string[] {
    return readdirSync(this.ranDir);
  }

  /** Unpacked by hand. */
  copyTo(directory: string): void {
    cpSync(this.directory, directory, { recursive: true, verbatimSymlinks: true });
  }

  private fill(): void {
    const at = (path: string) => join(this.directory, path);
    mkdirSync(at("knowledge/bare"), { recursive: true });
    writeFileSync(at("knowledge/a.md"), "a\n");
    writeFileSync(at("a.md"), "a\n");
    writeFileSync(at(".gitattributes"), "* filter=evil diff=evil merge=evil\n");
    writeFileSync(at("knowledge/.gitattributes"), "* filter=evil diff=evil merge=evil\n");
    writeFileSync(
      at(".gitmodules"),
      `[submodule "module"]\n\tpath = knowledge/module\n\turl = ext::sh -c "touch% ${this.ranDir}/submodule"\n`,
    );
    writeFileSync(this.outside, "outside\n");
    symlinkSync(this.outside, at("knowledge/outside.md"));
    symlinkSync("../../../../../..", at("knowledge/up"));
    for (const directory of ["objects", "refs"]) mkdirSync(at(`knowledge/bare/${directory}`));
    writeFileSync(at("knowledge/bare/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(at("knowledge/bare/objects/x"), "");
    writeFileSync(at("knowledge/bare/refs/x"), "");
    writeFileSync(at("knowledge/bare/config"), "");
  }

  private arm(gitDir: string): void {
    const hooks = join(gitDir, "hooks");
    mkdirSync(hooks, { recursive: true });
    for (const name of HOOKS) this.program(join(hooks, name), name);
    const program = (name: string) => this.program(join(gitDir, `run-${name}`), name);
    const included = join(gitDir, "included");
    const config = (name: string) => `[core]
	fsmonitor = ${program(`${name}-fsmonitor`)}
	hooksPath = ${hooks}
	pager = ${program(`${name}-pager`)}
	editor = ${program(`${name}-editor`)}
	sshCommand = ${program(`${name}-ssh`)}
	askPass = ${program(`${name}-askpass`)}
	alternateRefsCommand = ${program(`${name}-alternate`)}
[filter "evil"]
	clean = ${program(`${name}-clean`)}
	smudge = ${program(`${name}-smudge`)}
	process = ${program(`${name}-process`)}
[diff]
	external = ${program(`${name}-diff`)}
[diff "evil"]
	textconv = ${program(`${name}-textconv`)}
	command = ${program(`${name}-diff-evil`)}
[merge "evil"]
	driver = ${program(`${name}-merge`)}
[uploadpack]
	packObjectsHook = ${program(`${name}-pack`)}
[credential]
	helper = !${program(`${name}-credential`)}
[gpg]
	program = ${program(`${name}-gpg`)}
[commit]
	gpgSign = true
[receive]
	denyCurrentBranch = updateInstead
	autogc = true
[gc]
	auto = 1
	recentObjectsHook = ${program(`${name}-gc`)}
`;
    writeFileSync(included, config("included"));
    appendFileSync(join(gitDir, "config"), `${config("own")}[include]\n\tpath = ${included}\n`);
    mkdirSync(join(gitDir, "objects/info"), { recursive: true });
    if (existsSync(join(this.root, "hostile.git/objects")) && gitDir !== this.bare)
      writeFileSync(join(gitDir, "objects/info/alternates"), `${join(this.root, "hostile.git/objects")}\n`);
  }

  private program(path: string, name: string): string {
    writeFileSync(path, `#!/bin/sh\ntouch '${join(this.ranDir, name)}'\nexit 1\n`);
    chmodSync(path, 0o755);
    return path;
  }
}
