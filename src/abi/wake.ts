// The timer of this computer that starts a kernel when something is due.

export interface WakeFile {
  readonly path: string;
  readonly text: string;
}

export interface WakePlan {
  /** Such as `systemd user timer`. */
  readonly kind: string;
  readonly files: readonly WakeFile[];
  /** Commands that make the files effective. */
  readonly commands: readonly (readonly string[])[];
}

export interface WakeStatus {
  readonly on: boolean;
  readonly kind: string;
  readonly files: readonly string[];
  /** When it next starts a kernel; null if nothing is due. */
  readonly at: number | null;
  /** Why it does not work although it is installed; null if it does. */
  readonly fault: string | null;
}

export interface WakeTimer {
  isOn(): boolean;
  /** What `on` would write and run. */
  plan(at: number | null): WakePlan;
  /** Throws if the system refuses it; nothing is left behind then. */
  on(at: number | null): Promise<void>;
  /** Returns the removed files. */
  off(): Promise<readonly string[]>;
  status(): Promise<WakeStatus>;
  /** Moves the next start. Does nothing if the timer is off. */
  set(at: number | null): Promise<void>;
}
