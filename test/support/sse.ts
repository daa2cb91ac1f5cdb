// Reads server-sent events as a browser does: fields, ids that stay, comments that are skipped.

export interface SseEvent {
  readonly type: string;
  readonly data: { readonly [name: string]: unknown };
  /** Null without one of its own. */
  readonly id: string | null;
}

export class SseReader {
  /** As a browser would send it after a cut. */
  lastId = "";
  readonly events: SseEvent[] = [];
  isOver = false;
  /** Bytes so far. */
  bytes = 0;
  private readonly reading: Promise<void>;
  private readonly stopping = new AbortController();

  private constructor(readonly response: Response) {
    this.reading = this.read(response.body!).catch(() => {});
  }

  static async open(url: string, headers: { readonly [name: string]: string }): Promise<SseReader> {
    return new SseReader(await fetch(url, { headers }));
  }

  of(type: string): readonly SseEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  /** Cuts the line. */
  async cut(): Promise<void> {
    this.stopping.abort();
    await this.reading;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    this.stopping.signal.addEventListener("abort", () => void reader.cancel());
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      this.bytes += value.length;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) this.take(block);
    }
    this.isOver = true;
  }

  private take(block: string): void {
    const fields = new Map(
      block
        .split("\n")
        .filter((line) => !line.startsWith(":"))
        .map((line) => {
          const at = line.indexOf(": ");
          return [line.slice(0, at), line.slice(at + 2)] as const;
        }),
    );
    const id = fields.get("id") ?? null;
    if (id !== null) this.lastId = id;
    const data = fields.get("data");
    if (data !== undefined) this.events.push({ type: fields.get("event") ?? "message", data: JSON.parse(data), id });
  }
}
