// How deep a JSON text is nested, told from its letters alone: before anything is parsed, because what walks the result later is recursive
// and must not be able to exhaust the stack. Says nothing about whether the text is JSON at all.

export function isNestedDeeper(json: string, depthMax: number): boolean {
  // Every level takes at least one character.
  if (json.length <= depthMax) return false;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (quoted) {
      if (unit === 92) index++;
      else if (unit === 34) quoted = false;
    } else if (unit === 34) quoted = true;
    else if (unit === 123 || unit === 91) {
      if (++depth > depthMax) return true;
    } else if (unit === 125 || unit === 93) depth--;
  }
  return false;
}
