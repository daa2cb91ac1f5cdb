// Whole files between this computer and gsv, over HTTP: they may be longer than one call.

import { SysError } from "../../../src/abi/errno.ts";
import { keptKey } from "../client/sign-in.ts";
import { nameOf, pathInUrl } from "./file-path.ts";

/** `exists`: there is a file already, and nothing was written. */
export async function upload(path: string, file: Blob, mayReplace: boolean): Promise<"stored" | "exists"> {
  const headers = { "content-type": "application/octet-stream", ...(!mayReplace && { "if-none-match": "*" }) };
  const response = await request(path, { method: "PUT", headers, body: file });
  if (response.status === 412) return "exists";
  await expectOk(response);
  return "stored";
}

/** The browser asks for a place, or knows one. */
export async function download(path: string): Promise<void> {
  const response = await request(path, { headers: {} });
  await expectOk(response);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = nameOf(path);
  link.click();
  URL.revokeObjectURL(url);
}

async function request(path: string, init: RequestInit & { readonly headers: object }): Promise<Response> {
  const headers = { ...init.headers, "x-gsv-key": keptKey() ?? "" };
  const response = await fetch(`/api/files/${pathInUrl(path)}`, { ...init, headers }).catch(() => null);
  if (response === null) throw new SysError("EAGAIN", "gsv does not answer");
  return response;
}

async function expectOk(response: Response): Promise<void> {
  if (response.ok) return;
  const answer = (await response.json().catch(() => null)) as { readonly detail?: unknown } | null;
  const detail = answer?.detail;
  throw new SysError("EIO", typeof detail === "string" ? detail : `refused (${response.status})`);
}
