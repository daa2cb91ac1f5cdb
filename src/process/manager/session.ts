// A session as its users name it, and what a manager knows of one that runs.

import type { SessionAbout } from "../../syscalls/session/session-service.ts";

/** The columns of `sessions` that a start needs. */
export interface Session {
  readonly id: string;
  /** Its address; one without is known by its id alone. */
  readonly key?: string | null;
  readonly source?: string;
  /** Who writes in it, in the channel's spelling. */
  readonly sender?: string | null;
  readonly agentId?: string | null;
  readonly projectId?: string | null;
  readonly name?: string;
  readonly workDir?: string | null;
  readonly initialPrompt?: string;
}

export interface StartOptions {
  /** How many sessions started each other before it. */
  readonly depth?: number;
  /** Nobody is there: what would ask is denied. */
  readonly schedulerMode?: boolean;
}

export class SessionRun {
  state: "running" | "paused" | "restarting" | "stopping" = "running";
  /** null until its process is there. */
  pid: string | null = null;
  /** The kernel's runs that belong to it. */
  readonly ids = new Set<string>();
  /** Began without this manager, which does not know its first run. */
  isAdopted = false;
  turns = 0;
  /** Messages on their way to it. */
  sending = 0;

  constructor(readonly session: Session) {}
}

/** What the kernel needs to make a session that it does not know. */
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

/** Without what is empty. */
export function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null && value !== ""));
}
