// Folds file names as a disk may compare them. Guards compare folded names: on a disk that ignores case or compatibility
// forms, `Context.d` is `context.d`.

/** A path without differences of case, compatibility forms and invisible characters. */
export function foldName(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
}
