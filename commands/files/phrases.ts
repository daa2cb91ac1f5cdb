// The phrases of file errors as in every shell: the text of the code, capitalized. Without EINVAL and EIO, because the kernel's message says more.

import { ERRNO_TEXT } from "../../src/abi/errno.ts";

const { EINVAL: _invalid, EIO: _broken, ...SAID } = ERRNO_TEXT;

export const PHRASES: { readonly [code: string]: string } = Object.fromEntries(
  Object.entries(SAID).map(([code, text]) => [code, text.charAt(0).toUpperCase() + text.slice(1)]),
);
