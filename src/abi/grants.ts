// What an approval gives a command in the sandbox, beyond its own directory. Stored with the request, and shown on its card.

/** `write:` is followed by a directory of the host. */
export type Grant = "network" | "ssh" | "gpg" | "git" | "git-settings" | `write:${string}`;

const WORDS: { readonly [grant: string]: string } = {
  network: "network",
  ssh: "your SSH keys and agent",
  gpg: "your GPG keys and agent",
  git: "writing to .git",
  "git-settings": "changing git's settings and hooks",
};

function grantText(grant: Grant): string {
  return WORDS[grant] ?? `writing to ${grant.slice("write:".length)}`;
}

export function writableIn(grants: readonly Grant[]): readonly string[] {
  return grants.flatMap((grant) => (grant.startsWith("write:") ? [grant.slice("write:".length)] : []));
}

export function grantsText(grants: readonly Grant[]): string {
  return grants.map(grantText).join(", ");
}
