// Operations on files, as data: chosen at random, carried out by gsv's filesystem and by the host's, and compared. The initial
// tree has directories of all kinds: own ones, a sticky one, a setgid one of another group, and closed ones.

import type { Random } from "./random.ts";

export type FileMove =
  | { readonly do: "write" | "append" | "create"; readonly path: string; readonly text: string; readonly mode?: number }
  | { readonly do: "read" | "list" | "stat" | "remove"; readonly path: string }
  | { readonly do: "mkdir"; readonly path: string; readonly mode?: number }
  | { readonly do: "rename"; readonly path: string; readonly to: string }
  | { readonly do: "symlink"; readonly path: string; readonly to: string }
  | { readonly do: "chmod"; readonly path: string; readonly mode: number }
  | { readonly do: "chown"; readonly path: string; readonly uid: number; readonly gid: number };

/** A code, or a result. */
export interface Outcome {
  readonly code: string;
  readonly value?: string;
}

export interface Standing {
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  /** The text of a file, the target of a link, nothing for a directory. */
  readonly text?: string;
  readonly to?: string;
}

export interface Me {
  readonly uid: number;
  readonly gid: number;
}

const STRANGER = 4242;

export function firstTree({ uid, gid }: Me, withOthers: boolean): Standing[] {
  const mine = { uid, gid };
  const roots = { uid: 0, gid: 0 };
  const theirs = { uid: STRANGER, gid: STRANGER };
  const tree: Standing[] = [
    { path: "/a", ...mine, mode: 0o755 },
    { path: "/a/f", ...mine, mode: 0o644, text: "mine" },
    { path: "/a/x", ...mine, mode: 0o6755, text: "a program" },
    { path: "/a/d", ...mine, mode: 0o755 },
    { path: "/a/d/f", ...mine, mode: 0o600, text: "deep" },
    { path: "/a/l", ...mine, mode: 0o777, to: "f" },
    { path: "/a/up", ...mine, mode: 0o777, to: "../s" },
    { path: "/a/loop", ...mine, mode: 0o777, to: "loop" },
    { path: "/s", ...roots, mode: 0o1777 },
    { path: "/s/f", ...theirs, mode: 0o666, text: "another's" },
    { path: "/s/d", ...theirs, mode: 0o777 },
    { path: "/g", ...roots, gid: STRANGER, mode: 0o2777 },
    { path: "/g/f", ...theirs, mode: 0o2676, text: "the group's" },
    { path: "/g/x", uid, gid: STRANGER, mode: 0o6775, text: "runs as the group" },
    { path: "/t", ...roots, mode: 0o755 },
    { path: "/t/f", ...roots, mode: 0o666, text: "open" },
    { path: "/t/d", ...roots, mode: 0o700 },
    { path: "/t/d/f", ...roots, mode: 0o666, text: "behind a closed door" },
    { path: "/c", ...roots, mode: 0o711 },
    { path: "/c/f", ...roots, mode: 0o644, text: "known by name" },
  ];
  return withOthers ? tree : tree.filter((each) => each.uid === uid && each.gid === gid);
}

const TOPS = ["a", "a", "a", "s", "g", "t", "c"] as const;
const NAMES = ["f", "f", "x", "d", "d", "l", "n", "m", "up", "loop"] as const;
const MODES = [
  0, 0o644, 0o600, 0o444, 0o755, 0o700, 0o500, 0o300, 0o777, 0o1777, 0o4755, 0o2755, 0o2644, 0o6775, 0o2777,
] as const;
const TARGETS = ["f", "d", "../a/f", "../s", "n", "d/../f", "."] as const;
const KINDS = [
  ...["write", "write", "write", "append", "append", "create", "create", "read", "read", "read", "list", "list"],
  ...["stat", "stat", "remove", "remove", "mkdir", "mkdir", "rename", "rename", "rename", "symlink"],
  ...["chmod", "chmod", "chmod", "chown"],
] as const;

export function randomMove(random: Random, { uid, gid }: Me): FileMove {
  const path = randomPath(random);
  const mode = random.pick(MODES);
  const some = random.int(2) === 0 ? {} : { mode };
  const kind = random.pick(KINDS) as FileMove["do"];
  switch (kind) {
    case "write":
    case "append":
    case "create":
      return { do: kind, path, text: random.int(8) === 0 ? "" : `text ${random.int(1000)}`, ...some };
    case "mkdir":
      return { do: kind, path, ...some };
    case "rename":
      return { do: kind, path, to: randomPath(random) };
    case "symlink":
      return { do: kind, path, to: random.pick(TARGETS) };
    case "chmod":
      // The top itself stays closed, whatever its owner.
      return { do: kind, path: path.replaceAll("..", "d"), mode };
    case "chown":
      return {
        do: kind,
        path: path.replaceAll("..", "d"),
        uid: random.pick([uid, uid, 0, STRANGER]),
        gid: random.pick([gid, gid, STRANGER]),
      };
    default:
      return { do: kind, path };
  }
}

function randomPath(random: Random): string {
  const names: string[] = [random.pick(TOPS)];
  for (let more = random.pick([0, 1, 1, 1, 1, 1, 2, 2, 2, 3]); more > 0; more--) names.push(random.pick(NAMES));
  // At most one step up and never from the top: above it the two trees are not the same.
  if (names.length > 2 && random.int(12) === 0) names[2 + random.int(names.length - 2)] = "..";
  return `/${names.join("/")}${random.int(40) === 0 ? "/" : ""}`;
}
