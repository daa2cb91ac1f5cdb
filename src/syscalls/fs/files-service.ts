// The service behind fs.read, fs.write, fs.edit, fs.delete and fs.search, as types.

import type { Caller } from "../../abi/identity.ts";
import type { CallContext } from "../define.ts";

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly content: string;
}

export type FileView =
  | {
      readonly kind: "file";
      readonly firstLine: number;
      readonly path: string;
      readonly content: string;
      readonly lines: number;
      readonly size: number;
      readonly version: string;
      readonly truncated: boolean;
    }
  | {
      /** For models that accept images. */
      readonly kind: "image";
      readonly path: string;
      readonly type: string;
      readonly size: number;
      /** In base64. */
      readonly data: string;
    }
  | {
      readonly kind: "directory";
      readonly path: string;
      readonly directories: readonly string[];
      readonly files: readonly string[];
      /** The list of names is cut. */
      readonly truncated?: true;
    };

/** gsv: gsv's own files. host: files of this computer. */
export const FILE_TARGETS = ["gsv", "host"] as const;
export type FileTarget = (typeof FILE_TARGETS)[number];

export interface EditRequest {
  readonly target?: FileTarget;
  readonly path: string;
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

export interface EditedFile {
  readonly path: string;
  readonly replacements: number;
  /** Number of the first line. */
  readonly line: number;
}

export interface Files {
  read(
    caller: Caller,
    request: {
      readonly target?: FileTarget;
      readonly path: string;
      readonly offset?: number;
      readonly limit?: number;
      readonly images?: boolean;
    },
  ): Promise<FileView>;
  write(
    context: CallContext,
    request: { readonly target?: FileTarget; readonly path: string; readonly content: string },
  ): Promise<{ readonly path: string; readonly size: number }>;
  edit(context: CallContext, request: EditRequest): Promise<EditedFile>;
  remove(
    context: CallContext,
    request: { readonly target?: FileTarget; readonly path: string },
  ): Promise<{ readonly path: string }>;
  search(
    caller: Caller,
    request: {
      readonly target?: FileTarget;
      readonly query: string;
      readonly path?: string;
      readonly include?: string;
    },
    signal: AbortSignal,
  ): Promise<{ readonly matches: readonly Match[]; readonly count: number; readonly truncated: boolean }>;
  /** Throws what the edit would throw, as far as can be seen without editing. */
  needEditable(caller: Caller, request: EditRequest): Promise<void>;
  /** The same for a write and a removal. */
  needWritable(caller: Caller, request: { readonly target?: FileTarget; readonly path: string }): Promise<void>;
  needRemovable(caller: Caller, request: { readonly target?: FileTarget; readonly path: string }): Promise<void>;
}
