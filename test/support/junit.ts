// Reads the counts out of a JUnit report, from the attributes of its root element, and the names of failed tests.

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A file that is missing in the report counts as one failure. No report at all is nothing passed. */
export function countOf(xml: string, unloaded: number): Count {
  const root = /<testsuites\b[^>]*>/.exec(xml)?.[0] ?? "";
  const [tests, failures, skipped] = ["tests", "failures", "skipped"].map((name) => attribute(root, name));
  return { passed: Math.max(0, tests! - failures! - skipped!), failed: failures! + unloaded };
}

export interface Failure {
  readonly file: string;
  readonly title: string;
}

export function failuresIn(xml: string): readonly Failure[] {
  const cases = xml.matchAll(/<testcase name="([^"]*)"[^>]*? file="([^"]*)"[^>]*>\s*<failure\b/g);
  return [...cases].map(([, title = "", file = ""]) => ({ file, title }));
}

export function summaryOf(count: Count): string {
  return `${count.passed} passed, ${count.failed} failed`;
}

function attribute(element: string, name: string): number {
  return Number(new RegExp(`\\b${name}="(\\d+)"`).exec(element)?.[1] ?? 0);
}
