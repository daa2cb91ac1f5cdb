// Blocks of code in Markdown.

/** Its fence, its kind, what stands in it. A longer fence holds shorter ones. */
export const FENCED = /^(`{3,})([a-z]*)\n(.*?)^\1$/gms;
