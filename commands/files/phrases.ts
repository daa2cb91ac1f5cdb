// What the commands about files say of a path, as every shell words it: the text of the code, with a capital. EINVAL and EIO are not among
// them: there the kernel's own message says more.

import { ERRNO_TEXT } from "../../src/abi/errno.ts";

const { EINVAL: _invalid, EIO: _broken, ...SAID } = ERRNO_TEXT;

export const PHRASES: { readonly [code: string]: string } = Object.fromEntries(
  Object.entries(SAID).map(([code, text]) => [code, text.charAt(0).toUpperCase() + text.slice(1)]),
);
