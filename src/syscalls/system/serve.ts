// serve.*: the network listener of the kernel. Only a person opens or closes it.

import { reveal } from "../../lib/text/sanitize.ts";
import { type CallContext, field, syscall, value } from "../define.ts";

export interface ServeStatus {
  /** Where clients reach it; null while nothing listens. */
  readonly url: string | null;
  readonly clients: number;
  /** Whether everybody may read the objects under `public/`. */
  readonly public: boolean;
  /** Kept for the next kernel. */
  readonly listen: string | null;
  /** Why a wanted listener does not listen. */
  readonly fault: string | null;
  /** Of the certificate; null without TLS. */
  readonly fingerprint: string | null;
}

export interface Serving {
  status(): Promise<ServeStatus>;
  start(
    context: CallContext,
    asked: { readonly listen?: string; readonly tls?: string; readonly proxy?: string; readonly public?: boolean },
  ): Promise<ServeStatus>;
  stop(context: CallContext): Promise<ServeStatus>;
}

export function serveText({ url, clients, listen, fault, fingerprint, public: isPublic }: ServeStatus): string {
  const certificate = fingerprint === null ? "" : `\ncertificate ${fingerprint}`;
  if (url !== null)
    return `listening on ${url}, ${clients} ${clients === 1 ? "client" : "clients"}${isPublic ? ", /public is open" : ""}${certificate}`;
  if (fault !== null) return `not listening on ${reveal(listen ?? "")}: ${reveal(fault)}`;
  if (listen !== null) return `not listening: no kernel runs; the next one listens on ${reveal(listen)}`;
  return "not listening on the network";
}

export const serveCalls = [
  syscall({
    name: "serve.status",
    summary: "Where the kernel listens on the network",
    class: "read",
    by: "person",
    capability: "system.serve",
    cli: { hidden: true, print: value(serveText) },
    input: {},
    run: ({ serving }: { serving: Serving }) => serving.status(),
  }),

  syscall({
    name: "serve.start",
    summary: "Listen on the network",
    class: "keyed",
    by: "person",
    capability: "system.serve",
    cli: { hidden: true, print: value(serveText) },
    input: {
      listen: field.optional(field.text("address and port", { longest: 300, meta: "HOST:PORT" })),
      tls: field.optional(field.text("files of the certificate and its key", { longest: 4096, meta: "CERT,KEY" })),
      proxy: field.optional(field.text("networks of the proxies before it", { longest: 1000, meta: "CIDR" })),
      public: field.flag("serve everything under /public without a token"),
    },
    run: ({ serving }: { serving: Serving }, args, context) => serving.start(context, args),
  }),

  syscall({
    name: "serve.stop",
    summary: "Stop listening on the network",
    class: "keyed",
    by: "person",
    capability: "system.serve",
    cli: { hidden: true, print: value(serveText) },
    input: {},
    run: ({ serving }: { serving: Serving }, _args, context) => serving.stop(context),
  }),
] as const;
