// git as a person has it, to compare with: no configuration of the host, an identity of its own.

export function plainGit(cwd: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env.PATH ?? "",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "someone",
    GIT_AUTHOR_EMAIL: "someone@example.org",
    GIT_COMMITTER_NAME: "someone",
    GIT_COMMITTER_EMAIL: "someone@example.org",
    LC_ALL: "C",
  };
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-c", "protocol.file.allow=always", ...args], {
    cwd,
    env,
  });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
  return stdout.toString();
}
