// Errors on the way to a server, classified by the codes of their causes and never by their texts.

import { expect, test } from "bun:test";
import { thrownFailure } from "../../src/providers/failures.ts";

function thrown(...codes: readonly string[]): Error {
  return codes.reduceRight<Error | undefined>(
    (cause, code) => Object.assign(new Error("certificate of an error", { cause }), { code }),
    undefined,
  )!;
}

test.each([
  [["ECONNREFUSED"], "network", undefined],
  [["ECONNRESET"], "network", undefined],
  [["EWHATEVER", "ENOTFOUND"], "network", undefined],
  [["ENETUNREACH"], "network", true],
  [["EWHATEVER", "EAI_AGAIN"], "network", true],
  [["CERT_HAS_EXPIRED"], "config", undefined],
  [["EWHATEVER", "DEPTH_ZERO_SELF_SIGNED_CERT"], "config", undefined],
] as const)("%s is of class %s, offline: %s", (codes, failureClass, isOffline) => {
  const failure = thrownFailure(thrown(...codes));
  expect([failure.class, failure.isOffline]).toEqual([failureClass, isOffline]);
  expect(failure.message).toContain(codes.at(-1)!);
});
