// `od` and `xxd`: print bytes as numbers; xxd -r reads them back.

import { countOf, options } from "../options.ts";
import { type Call, Usage, whole } from "../program.ts";

export async function od(call: Call): Promise<number> {
  const { flags, uses, operands } = options("od", call.args, {
    letters: "A:t:N:j:vcbxdo w:",
    long: {
      "address-radix=": "A",
      "format=": "t",
      "read-bytes=": "N",
      "skip-bytes=": "j",
      "output-duplicates": "v",
      "width=?": "w",
    },
  });
  const skip = flags.has("j") ? countOf("od", flags.get("j") ?? "", "bytes") : 0;
  const max = flags.has("N") ? countOf("od", flags.get("N") ?? "", "bytes") : undefined;
  const all: Buffer[] = [];
  const end = max === undefined ? undefined : skip + max;
  for (const name of operands.length === 0 ? ["-"] : operands) all.push(await whole(call, name, end));
  const bytes = Buffer.concat(all).subarray(skip, end);
  const short: { readonly [flag: string]: string } = { c: "c", b: "o1", x: "x2", d: "u2", o: "o2" };
  const formats = uses.flatMap(([flag, value]) =>
    flag === "t" ? [value] : short[flag] === undefined ? [] : [short[flag]],
  );
  const radix = flags.get("A") ?? "o";
  const address = (at: number) =>
    radix === "n" ? "" : at.toString(radix === "x" ? 16 : radix === "d" ? 10 : 8).padStart(radix === "x" ? 6 : 7, "0");
  const width = Number(flags.get("w") || 16);
  for (let at = 0; at < bytes.length; at += width) {
    const row = bytes.subarray(at, at + width);
    for (const [place, format] of (formats.length === 0 ? ["o2"] : formats).entries())
      call.out(`${place === 0 ? address(at + skip) : radix === "n" ? "" : "       "}${cells(row, format)}\n`);
  }
  if (radix !== "n") call.out(`${address(bytes.length + skip)}\n`);
  return 0;
}

const NAMED: { readonly [byte: number]: string } = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

function cells(row: Buffer, format: string): string {
  if (format === "c")
    return [...row]
      .map((byte) =>
        (
          NAMED[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"))
        ).padStart(4),
      )
      .join("");
  const [, kind, size = "4"] = /^([xoud])([1248])?$/.exec(format) ?? [];
  if (kind === undefined) throw new Usage(`od: invalid type string ‘${format}’`);
  const bytes = Number(size);
  const base = kind === "x" ? 16 : kind === "o" ? 8 : 10;
  const digits = base === 10 ? String(2n ** BigInt(bytes * 8)).length : Math.ceil((bytes * 8) / Math.log2(base));
  let output = "";
  for (let at = 0; at < row.length; at += bytes) {
    const part = Buffer.alloc(bytes);
    row.copy(part, 0, at, at + bytes);
    const value = BigInt(`0x${Buffer.from(part).reverse().toString("hex")}`);
    const number = kind === "d" ? BigInt.asIntN(bytes * 8, value) : value;
    output += ` ${base === 10 ? String(number).padStart(digits) : number.toString(base).padStart(digits, "0")}`;
  }
  return output;
}

export async function xxd(call: Call): Promise<number> {
  const { flags, operands } = options("xxd", call.args, {
    letters: "prul:s:c:g:",
    long: { plain: "p", revert: "r", "len=": "l", "seek=": "s", "cols=": "c" },
  });
  const [input = "-", output] = operands;
  const from = Number(flags.get("s") ?? 0);
  const end = flags.has("l") ? from + Number(flags.get("l")) : undefined;
  const all = (await whole(call, input, end)).subarray(from, end);
  if (flags.has("r")) {
    const bytes = reverted(all.toString("latin1"), flags.has("p"));
    if (output === undefined) call.out(bytes);
    else await call.files.write(call.path(output), bytes);
    return 0;
  }
  const columns = Number(flags.get("c") ?? (flags.has("p") ? 30 : 16));
  const group = Number(flags.get("g") ?? 2) || columns;
  const hex = (bytes: Buffer) => (flags.has("u") ? bytes.toString("hex").toUpperCase() : bytes.toString("hex"));
  const width = columns * 2 + Math.ceil(columns / group) - 1;
  for (let at = 0; at < all.length; at += columns) {
    const row = all.subarray(at, at + columns);
    if (flags.has("p")) call.out(`${hex(row)}\n`);
    else {
      const groups = hex(row).match(new RegExp(`.{1,${group * 2}}`, "g")) ?? [];
      const shown = [...row].map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
      call.out(`${(at + from).toString(16).padStart(8, "0")}: ${groups.join(" ").padEnd(width)}  ${shown}\n`);
    }
  }
  return 0;
}

function reverted(text: string, plain: boolean): Buffer {
  if (plain) return Buffer.from(text.replaceAll(/[^0-9a-fA-F]/g, ""), "hex");
  const rows = text.split("\n").map((line) => /^[0-9a-fA-F]+:((?: ?[0-9a-fA-F]{2})+)/.exec(line)?.[1] ?? "");
  return Buffer.from(rows.join("").replaceAll(" ", ""), "hex");
}
