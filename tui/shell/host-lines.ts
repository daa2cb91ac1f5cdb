// Lines of this computer: each has the terminal until it ends or ctrl-z stops it. The agent sees a line when it has ended.

import type { HostLine } from "../../commands/command.ts";
import type { HostCommand } from "../../src/abi/process/host-commands.ts";
import { type EffectPorts, failed, worded } from "../effect-ports.ts";
import { realPlace } from "../state/state.ts";
import { plainText } from "./output.ts";

interface Stopped {
  readonly text: string;
  readonly line: NonNullable<HostLine["stopped"]>;
}

export class HostLines {
  private readonly stopped = new Map<number, Stopped>();
  private lines = 0;

  constructor(
    private readonly ports: EffectPorts,
    private readonly ended: (command: HostCommand) => void,
  ) {}

  /** Without a terminal and with a remote kernel, the kernel runs it, and its output is printed as it arrives. */
  async run(text: string): Promise<number | null> {
    const { io, shell, state } = this.ports;
    const ran = await io.hostLine(text, realPlace(state().who.here, shell.cwd)?.real);
    if (ran === null) return await shell.command(["sh", "--host", "-c", text]);
    this.settle(++this.lines, text, ran);
    return await shell.reportJobs();
  }

  async resume(nth: number): Promise<void> {
    const { stopped, ports } = this;
    const { text, line } = stopped.get(nth) ?? {};
    if (text === undefined || line === undefined) return;
    try {
      this.settle(nth, text, await line.resume());
    } catch (error) {
      failed(ports, worded(error));
    }
  }

  end(nth: number): void {
    this.stopped.get(nth)?.line.end();
    this.stopped.delete(nth);
  }

  private settle(nth: number, text: string, { status, output, stopped }: HostLine): void {
    const { shell, dispatch } = this.ports;
    shell.status = status;
    if (stopped !== null) {
      this.stopped.set(nth, { text, line: stopped });
      dispatch({ type: "line-stopped", stopped: nth, text });
      return;
    }
    if (this.stopped.delete(nth)) dispatch({ type: "stopped-ended", stopped: nth });
    this.ended({ line: text, status, output: plainText(output) });
  }
}
