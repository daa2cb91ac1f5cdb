// A session as callers name it, and the manager's state of a running one.

import { SysError } from "../../abi/errno.ts";
import type { SessionAbout, SessionLine, SessionStopped } from "../../syscalls/session/session-service.ts";

export interface Session {
  readonly id: string;
  readonly key?: string | null;
  readonly source?: string;
  /** Sender, in the channel's spelling. */
  readonly sender?: string | null;
  readonly agentId?: string | null;
  readonly projectId?: string | null;
  readonly name?: string;
  readonly workDir?: string | null;
  readonly initialPrompt?: string;
}

export interface StartOptions {
  /** Number of sessions above it that started each other. */
  readonly depth?: number;
  /** Unattended: requests are denied. */
  readonly schedulerMode?: boolean;
}

export class SessionRun {
  state: "running" | "paused" | "restarting" | "stopping" = "running";
  /** null until the process exists. */
  pid: string | null = null;
  /** Id of the kernel's session: with session.dmScope, sessions of one sender have one conversation. */
  conversation: string | null = null;
  readonly ids = new Set<string>();
  /** Started elsewhere: its first run is unknown. */
  isAdopted = false;
  turns = 0;
  sending = 0;

  constructor(readonly session: Session) {}
}

/** Facts for a session that the kernel does not know. */
export function aboutOf(session: Session): SessionAbout {
  const {
    key,
    source = key ? undefined : "cli",
    sender,
    agentId: agent,
    projectId: project,
    name,
    workDir,
    initialPrompt,
  } = session;
  return given({ source, sender, agent, project, name, workDir, initialPrompt });
}

export function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null && value !== ""));
}

/** The kernel knows of no work of a run that had some here. */
export function isOver({ session: { id }, state, pid, sending }: SessionRun, lines: readonly SessionLine[]): boolean {
  return (
    state === "running" &&
    pid !== null &&
    sending === 0 &&
    lines.some((each) => each.id === id && each.status === "idle")
  );
}

export function ifUnknown(error: unknown): SessionStopped {
  if (error instanceof SysError && error.code === "ENOENT") return { key: "", pid: null, stopped: false };
  throw error;
}
