// Addresses that a link may have. Everything else that models, tools and files write stays text.

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address as a browser would open it; null if it is not one to open. */
export function safeHref(href: string): string | null {
  const url = URL.parse(href);
  return url !== null && ALLOWED.has(url.protocol) ? url.href : null;
}
