// A workspace as its owner sees it: a durable directory at `/workspaces/{id}`, which outlives its processes.

export interface WorkspaceInfo {
  readonly id: string;
  readonly label: string | null;
  readonly owner: string;
  readonly state: "active" | "archived";
  /** Inside gsv. */
  readonly path: string;
  /** Its host directory; null if gsv stores the files. */
  readonly directory: string | null;
  readonly processes: readonly string[];
  readonly createdAt: number;
  /** When a process last joined, or the last checkpoint. */
  readonly updatedAt: number;
}

/** The saved state of a process's workspace at a reset or kill. */
export interface Checkpoint {
  readonly workspaceId: string;
  /** null if there was nothing to save. */
  readonly commit: string | null;
  /** Why it could not be saved. The reset or kill still happened. */
  readonly fault: string | null;
}
