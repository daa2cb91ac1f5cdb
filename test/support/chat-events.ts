// Checks events of `gsv chat --json` against the schema that `gsv schema events` prints.

import { eventSchema } from "../../commands/events.ts";
import { shapeFrom } from "../../src/abi/shape.ts";

const published = shapeFrom(eventSchema());

/** Null for a valid event. Unknown keys are allowed. */
export function checkEvent(event: unknown): string | null {
  const faults = published(event).map(({ path, message }) => `${path.join(".")}: ${message}`);
  return faults.length === 0 ? null : faults.join("; ");
}
