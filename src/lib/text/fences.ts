// Blocks of code in Markdown.

/** Fence, language, content. A longer fence may contain shorter ones. */
export const FENCED = /^(`{3,})([a-z]*)\n(.*?)^\1$/gms;
