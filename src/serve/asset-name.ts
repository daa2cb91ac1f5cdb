// The file name under which a compiled gsv is offered for download.

interface Build {
  readonly platform: string;
  readonly arch: string;
  readonly isMusl: boolean;
}

/** The compiled program at `exe`, and its name; null if `exe` is a source file. */
export function binaryAt(exe: string): { readonly path: string; readonly name: string } | null {
  return exe === process.execPath ? { path: exe, name: assetName(thisBuild()) } : null;
}

export function assetName({ platform, arch, isMusl }: Build): string {
  if (platform === "win32") return `gsv-windows-${arch}.exe`;
  return `gsv-${platform}-${arch}${platform === "linux" && isMusl ? "-musl" : ""}`;
}

function thisBuild(): Build {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const isMusl = process.platform === "linux" && header?.glibcVersionRuntime === undefined;
  return { platform: process.platform, arch: process.arch, isMusl };
}
