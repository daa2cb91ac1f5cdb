// `gsv chat --schema FILE`: the answer must be JSON that matches a JSON Schema. The schema is checked before anything is sent. A wrong answer
// gets one retry with the errors.

import { messageOf, SysError } from "../../src/abi/errno.ts";
import type { Shape } from "../../src/abi/shape.ts";
import type { Io } from "../command.ts";
import { firstBlock, type Pick, type Picked } from "./pick.ts";

const SCHEMA_BYTES_MAX = 64 * 1024;
const FAULTS_SHOWN_MAX = 10;

export async function schemaIn(io: Io, path: string): Promise<Pick> {
  const host = await io.host();
  const found = await host.look(path, { follow: true });
  if (found?.kind !== "file") throw new SysError("ENOENT", `no such file: ${path} (nothing was sent)`);
  if (found.size > SCHEMA_BYTES_MAX) throw unusable(path, `larger than ${SCHEMA_BYTES_MAX / 1024} KiB`);
  return await answersLike(path, Buffer.concat(await Array.fromAsync(host.read(path))).toString("utf8"));
}

async function answersLike(name: string, text: string): Promise<Pick> {
  const schema = parsedSchema(name, text);
  const { shapeFrom } = await import("../../src/abi/shape.ts");
  let shape: Shape;
  try {
    shape = shapeFrom(schema);
  } catch (error) {
    throw unusable(name, messageOf(error));
  }
  const faultsOf = (value: unknown) =>
    shape(value).map(({ path, message }) => `${path.length === 0 ? "the answer" : placeOf(path)}: ${message}`);
  const asked = `Answer only with JSON that matches this JSON Schema, without any other text:\n${JSON.stringify(schema)}`;
  return {
    asks: asked,
    from: (answer) => judged(answer, faultsOf),
    again: (fault) => `That answer was not usable: ${fault}. ${asked}`,
  };
}

function judged(answer: string, faultsOf: (value: unknown) => readonly string[]): Picked {
  const value = valueIn(answer);
  if (value === undefined) return { fault: "the answer is not JSON" };
  const faults = faultsOf(value);
  if (faults.length > 0)
    return { fault: `the answer does not fit the schema: ${faults.slice(0, FAULTS_SHOWN_MAX).join("; ")}` };
  return { text: JSON.stringify(value) };
}

/** Also looks in code blocks, which models like to use; undefined if there is no JSON. */
function valueIn(answer: string): unknown {
  for (const text of [answer, firstBlock(answer, "json"), firstBlock(answer, "")]) {
    try {
      if (text !== null) return JSON.parse(text);
    } catch {}
  }
  return undefined;
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
}

function parsedSchema(name: string, text: string): object {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw unusable(name, messageOf(error));
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw unusable(name, "not a JSON object");
  return schema;
}

function unusable(name: string, why: string): SysError {
  return new SysError("EUSAGE", `cannot use ${name} as a JSON Schema: ${why} (nothing was sent)`);
}
