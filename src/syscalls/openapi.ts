// The syscalls as operations of an OpenAPI document: `POST /api/call/NAME`. Derived from the declarations.

import type { CallClass } from "../abi/sys.ts";
import type { By } from "./define.ts";
import { RESULTS } from "./results/results.ts";
import { argumentsOf, type Schema } from "./schema.ts";
import type { AnySyscall } from "./table.ts";

/** By path; each has one operation. */
export function callPaths(calls: Iterable<AnySyscall>): Schema {
  return Object.fromEntries([...calls].map((call) => [`/api/call/${call.name}`, { post: operationOf(call) }]));
}

const CLASSES: { readonly [C in CallClass]: string } = {
  read: "Changes nothing.",
  wait: "Answers when the event has happened; without a time limit.",
  keyed: "Changes something: with Idempotency-Key a repeated request runs once.",
};

const BY: { readonly [B in By]: string } = {
  anyone: "",
  person: " For people and their tokens.",
  approved: " For people and their tokens, and for processes with an approval.",
};

const SHAPES: { readonly [call: string]: { readonly schema: Schema } } = RESULTS;

/** Any JSON, if nothing describes it. */
function resultOf(name: string): Schema {
  const { schema } = SHAPES[name] ?? {};
  if (schema === undefined) return { $ref: "#/components/responses/Result" };
  const headers = { "Idempotent-Replayed": { $ref: "#/components/headers/Replayed" } };
  return { description: "The result", headers, content: { "application/json": { schema } } };
}

function operationOf({ name, summary, class: kind, by, capability, input }: AnySyscall): Schema {
  const schema = argumentsOf(input);
  const needsBody = (schema.required as readonly string[]).length > 0;
  return {
    operationId: name,
    summary,
    description: `${CLASSES[kind]}${BY[by]} Needs the capability ${capability}.`,
    tags: [name.slice(0, name.lastIndexOf("."))],
    ...(kind === "keyed" && { parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }] }),
    requestBody: { required: needsBody, content: { "application/json": { schema } } },
    responses: {
      "200": resultOf(name),
      ...(kind === "keyed" && {
        "409": { $ref: "#/components/responses/StillRunning" },
        "422": { $ref: "#/components/responses/KeyReused" },
      }),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}
