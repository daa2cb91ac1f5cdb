// Output of awk: stdout, files and commands. A command runs when it is closed or the program ends.

import type { Call } from "../program.ts";

const PIECE_CHARS = 16 * 1024;

interface Sink {
  readonly kind: ">" | ">>" | "|";
  readonly pieces: string[];
  /** Already written once: append from now on. */
  begun: boolean;
}

export class Outputs {
  private held: string[] = [];
  private heldChars = 0;
  private readonly sinks = new Map<string, Sink>();

  constructor(private readonly call: Call) {}

  print(text: string): void {
    this.held.push(text);
    this.heldChars += text.length;
    if (this.heldChars > PIECE_CHARS) this.flush();
  }

  printInto(kind: Sink["kind"], name: string, text: string): void {
    if (kind !== "|" && (name === "/dev/stdout" || name === "-")) this.print(text);
    else if (kind !== "|" && name === "/dev/stderr") this.call.err(text);
    else this.sink(kind, name).pieces.push(text);
  }

  private sink(kind: Sink["kind"], name: string): Sink {
    let sink = this.sinks.get(name);
    if (sink === undefined) {
      sink = { kind, pieces: [], begun: kind === ">>" };
      this.sinks.set(name, sink);
    }
    return sink;
  }

  flush(): void {
    if (this.heldChars === 0) return;
    this.call.out(this.held.join(""));
    this.held = [];
    this.heldChars = 0;
  }

  /** Writes buffered output to the files. */
  async written(): Promise<void> {
    this.flush();
    for (const [name, sink] of this.sinks) if (sink.kind !== "|") await this.write(name, sink);
  }

  /** The exit status; -1 if nothing with this name is open. */
  async close(name: string): Promise<number> {
    const sink = this.sinks.get(name);
    if (sink === undefined) return -1;
    this.sinks.delete(name);
    this.flush();
    if (sink.kind === "|") return this.call.run(["sh", "-c", name], Buffer.from(sink.pieces.join("")));
    await this.write(name, sink);
    return 0;
  }

  async closeAll(): Promise<void> {
    this.flush();
    for (const name of [...this.sinks.keys()]) await this.close(name);
  }

  private async write(name: string, sink: Sink): Promise<void> {
    if (sink.begun && sink.pieces.length === 0) return;
    const bytes = Buffer.from(sink.pieces.splice(0).join(""));
    const path = this.call.path(name);
    if (sink.begun) await this.call.files.append(path, bytes);
    else await this.call.files.write(path, bytes);
    sink.begun = true;
  }
}
