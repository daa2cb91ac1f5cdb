// A yes or a no as people say it in a chat.

export function decisionIn(text: string): "approve" | "deny" | null {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, "");
  if (/^(?:approve|allow|yes|y)$/.test(word)) return "approve";
  return /^(?:deny|reject|no|n)$/.test(word) ? "deny" : null;
}
