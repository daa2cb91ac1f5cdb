// A running awk program: variables, the current record with its fields, and the input.

import { type Call, phrase, pieces, Usage } from "../program.ts";
import { textOf } from "./format.ts";
import { MORE, OVER, Records } from "./input.ts";
import { Outputs } from "./output.ts";
import { unescaped } from "./tokens.ts";
import { type Cell, expressionOf, Input, numberOf, type Table, type Value } from "./values.ts";

const FIELDS_MAX = 1_000_000;

export class Machine {
  readonly outputs: Outputs;
  readonly ranges = new Set<number>();
  /** The return value of a function, and the exit status. */
  returned: Value;
  status = 0;
  /** Call depth. */
  depth = 0;
  seed = 0;
  random = 0;
  private readonly cells = new Map<string, Cell>();
  private record = "";
  private fields: Value[] = [];
  private isSplit = true;
  private isJoined = true;
  private main: Records | null = null;
  private nextArgument = 1;
  private readAny = false;
  private readonly sources = new Map<string, Records>();

  constructor(readonly call: Call) {
    this.outputs = new Outputs(call);
    const first = { FS: " ", OFS: " ", ORS: "\n", RS: "\n", SUBSEP: "\x1c", CONVFMT: "%.6g", OFMT: "%.6g" };
    for (const [name, value] of Object.entries({ ...first, NR: 0, FNR: 0, RSTART: 0, RLENGTH: -1, FILENAME: "" }))
      this.cell(name).value = value;
    const environment = Object.entries(call.env).map(([name, value]) => [name, new Input(value)] as const);
    this.cell("ENVIRON").value = new Map(environment);
  }

  cell(name: string): Cell {
    let cell = this.cells.get(name);
    if (cell === undefined) {
      cell = { value: undefined };
      this.cells.set(name, cell);
    }
    return cell;
  }

  /** An assignment from -v or from an operand. */
  assign(name: string, text: string): void {
    const value = new Input(unescaped(text));
    if (name === "NF") this.setFieldCount(numberOf(value));
    else this.cell(name).value = value;
  }

  text(value: Value): string {
    return typeof value === "string" ? value : textOf(value, this.setting("CONVFMT"));
  }

  setting(name: string): string {
    const { value } = this.cell(name);
    return typeof value === "string" ? value : textOf(value as Value, "%.6g");
  }

  setRecord(text: string): void {
    this.record = text;
    this.isSplit = false;
    this.isJoined = true;
  }

  field(number: number): Value {
    if (number === 0) return new Input(this.whole());
    this.split();
    if (number < 0) throw new Usage(`awk: there is no field ${number}`, 2);
    return this.fields[number - 1];
  }

  setField(number: number, value: Value): void {
    if (number === 0) {
      this.setRecord(this.text(value));
      return;
    }
    if (number < 0 || number > FIELDS_MAX) throw new Usage(`awk: there is no field ${number}`, 2);
    this.split();
    while (this.fields.length < number) this.fields.push("");
    this.fields[number - 1] = value;
    this.isJoined = false;
  }

  fieldCount(): number {
    this.split();
    return this.fields.length;
  }

  setFieldCount(count: number): void {
    if (count < 0 || count > FIELDS_MAX) throw new Usage(`awk: there are no ${count} fields`, 2);
    this.split();
    while (this.fields.length < count) this.fields.push("");
    this.fields.length = count;
    this.isJoined = false;
  }

  whole(): string {
    if (!this.isJoined) {
      this.record = this.fields.map((each) => this.text(each)).join(this.setting("OFS"));
      this.isJoined = true;
    }
    return this.record;
  }

  private split(): void {
    if (this.isSplit) return;
    this.isSplit = true;
    this.fields = fieldsOf(this.record, this.setting("FS"), this.setting("RS") === "");
  }

  /** The next record of the main input, if buffered. */
  take(): string | typeof OVER | typeof MORE {
    const record = this.main?.take(this.setting("RS"), expressionOf) ?? MORE;
    if (typeof record === "string") this.count();
    return record;
  }

  async next(): Promise<string | null> {
    for (;;) {
      if (this.main === null && !(await this.open())) return OVER;
      const record = (await this.main?.next(this.setting("RS"), expressionOf)) ?? OVER;
      if (record !== OVER) {
        this.count();
        return record;
      }
      this.main = null;
    }
  }

  skipFile(): void {
    this.main = null;
  }

  private count(): void {
    for (const name of ["NR", "FNR"]) {
      const cell = this.cell(name);
      cell.value = numberOf(cell.value as Value) + 1;
    }
  }

  // ARGV is read late because the program may change it.
  private async open(): Promise<boolean> {
    const table = this.cell("ARGV").value as Table;
    while (this.nextArgument < numberOf(this.cell("ARGC").value as Value)) {
      const word = this.text(table.get(String(this.nextArgument++)));
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
      if (word === "") continue;
      if (name !== undefined) this.assign(name, value);
      else if (await this.begin(word)) return true;
    }
    if (this.readAny) return false;
    return this.begin("-");
  }

  private async begin(name: string): Promise<boolean> {
    this.readAny = true;
    this.cell("FNR").value = 0;
    this.cell("FILENAME").value = name === "-" ? "" : name;
    try {
      if (name !== "-" && (await this.call.files.stat(this.call.path(name))).kind === "directory")
        throw Object.assign(new Error("Is a directory"), { code: "EISDIR" });
    } catch (error) {
      this.outputs.flush();
      this.call.err(`awk: cannot open ${name} (${phrase(error)})\n`);
      this.status = 2;
      return false;
    }
    this.main = new Records(pieces(this.call, name));
    return true;
  }

  /** A record of a file or of a command's output; null at the end, undefined if there is no such file. */
  async from(kind: "file" | "command", name: string): Promise<string | null | undefined> {
    const key = `${kind}:${name}`;
    let source = this.sources.get(key);
    if (source === undefined) {
      await this.outputs.written();
      const made = kind === "file" ? await this.file(name) : await this.command(name);
      if (made === null) return undefined;
      source = made;
      this.sources.set(key, source);
    }
    return source.next(this.setting("RS"), expressionOf);
  }

  private async file(name: string): Promise<Records | null> {
    const isInput = name === "-" || name === "/dev/stdin";
    const found = isInput ? null : await this.call.files.stat(this.call.path(name)).catch(() => undefined);
    if (found === undefined || found?.kind === "directory") return null;
    return new Records(pieces(this.call, isInput ? "-" : name));
  }

  private async command(name: string): Promise<Records> {
    const { stdout } = await this.call.capture(["sh", "-c", name], new Uint8Array());
    return new Records(
      (async function* () {
        yield stdout;
      })(),
    );
  }

  async close(name: string): Promise<number> {
    const wasRead = this.sources.delete(`file:${name}`) || this.sources.delete(`command:${name}`);
    const status = await this.outputs.close(name);
    return wasRead && status === -1 ? 0 : status;
  }
}

export function fieldsOf(text: string, separator: string, isParagraph = false): Value[] {
  if (text === "") return [];
  if (separator === " ") {
    const bare = text.replace(/^[ \t\n]+/, "").replace(/[ \t\n]+$/, "");
    return bare === "" ? [] : bare.split(/[ \t\n]+/).map((each) => new Input(each));
  }
  const parts = isParagraph ? text.split("\n").flatMap((line) => cut(line, separator)) : cut(text, separator);
  return parts.map((each) => new Input(each));
}

function cut(text: string, separator: string): readonly string[] {
  if (separator === "") return [...text];
  if (separator.length === 1 && separator !== "\\") return text.split(separator);
  const parts: string[] = [];
  const pattern = expressionOf(separator);
  let from = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (found[0] === "") pattern.lastIndex++;
    else {
      parts.push(text.slice(from, found.index));
      from = pattern.lastIndex;
    }
  }
  return [...parts, text.slice(from)];
}
