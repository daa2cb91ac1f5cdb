// Accounts for tests: root, two humans, and sam's agent; sam and the agent are members of each other's private group.

import type { Caller } from "../../src/abi/identity.ts";

function person(username: string, uid: number, gids: readonly number[], home = `/home/${username}`): Caller {
  return {
    kind: "person",
    uid,
    gid: uid,
    gids: [uid, ...gids],
    username,
    home,
    ownerUid: uid,
    cwd: home,
    capabilities: ["*"],
  };
}

export const root: Caller = person("root", 0, [], "/root");
export const sam: Caller = person("sam", 1000, [1001, 100]);
export const bob: Caller = person("bob", 1002, [100]);
/** A process of sam's, acting as the agent. */
export const agent: Caller = {
  ...person("echo", 1001, [1000, 100]),
  kind: "process",
  pid: "task:abc123",
  ownerUid: 1000,
  cwd: "/home/sam",
};
