// A workspace as its owner sees it: a durable place of work at `/workspaces/{id}`, which outlives the processes that work in it.

export interface WorkspaceInfo {
  readonly id: string;
  readonly label: string | null;
  readonly owner: string;
  readonly state: "active" | "archived";
  /** Inside gsv. */
  readonly path: string;
  /** The directory of this machine that it is; null of a tree that gsv keeps. */
  readonly directory: string | null;
  /** The processes that work in it. */
  readonly processes: readonly string[];
  readonly createdAt: number;
  /** When a process was last put in it, or its state was last kept. */
  readonly updatedAt: number;
}

/** What was kept of a process in its workspace when its history went. */
export interface Checkpoint {
  readonly workspaceId: string;
  /** The version that holds it; null when there was nothing to keep. */
  readonly commit: string | null;
  /** Why it was not kept. The reset or kill went on without. */
  readonly fault: string | null;
}
