// Whether a JSON text is nested too deep, without parsing it: code that walks the result is recursive and must not exhaust the stack. Does not
// check that the text is JSON.

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
