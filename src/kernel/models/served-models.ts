// Cached model lists of servers, in a file that is read before the first request to a server, never at start. An unreadable file counts as
// absent, because servers can send their lists again.

import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import type { ServedModel } from "../../abi/stream.ts";

type Kept = { [url: string]: { readonly at: number; readonly models: readonly ServedModel[] } };

const SERVERS_MAX = 16;
const MODELS_MAX = 2000;
const BYTES_MAX = 8 * 1024 * 1024;

export class ServedModels {
  private kept: Kept | null = null;
  private readonly byId = new Map<string, ReadonlyMap<string, ServedModel>>();

  constructor(
    private readonly file: string,
    private readonly log: (line: string) => void,
  ) {}

  of(url: string): ReadonlyMap<string, ServedModel> {
    const known = this.byId.get(url);
    if (known !== undefined) return known;
    const models = this.read()[url]?.models ?? [];
    const byId = new Map(models.map((model) => [model.id, model]));
    this.byId.set(url, byId);
    return byId;
  }

  list(url: string): { readonly at: number; readonly models: readonly ServedModel[] } | null {
    return this.read()[url] ?? null;
  }

  keep(url: string, models: readonly ServedModel[], at: number): void {
    const others = Object.entries(this.read()).filter(([other]) => other !== url);
    const newest = others.sort(([, left], [, right]) => right.at - left.at).slice(0, SERVERS_MAX - 1);
    this.kept = { ...Object.fromEntries(newest), [url]: { at, models: models.slice(0, MODELS_MAX) } };
    this.byId.delete(url);
    try {
      writeFileSync(`${this.file}.new`, JSON.stringify(this.kept), { mode: 0o600 });
      renameSync(`${this.file}.new`, this.file);
    } catch (error) {
      this.log(`the list of models is not kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private read(): Kept {
    this.kept ??= readKept(this.file);
    return this.kept;
  }
}

function readKept(file: string): Kept {
  try {
    if (statSync(file).size > BYTES_MAX) return {};
    const value = JSON.parse(readFileSync(file, "utf8")) as Kept;
    const whole = Object.entries(value).filter(([, { at, models }]) => typeof at === "number" && Array.isArray(models));
    return Object.fromEntries(whole);
  } catch {
    return {};
  }
}
