// The file name under which a compiled gsv for this computer is offered for download.

export interface Build {
  readonly platform: string;
  readonly arch: string;
  readonly isMusl: boolean;
}

export function thisBuild(): Build {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const isMusl = process.platform === "linux" && header?.glibcVersionRuntime === undefined;
  return { platform: process.platform, arch: process.arch, isMusl };
}

export function assetName({ platform, arch, isMusl }: Build): string {
  if (platform === "win32") return `gsv-windows-${arch}.exe`;
  return `gsv-${platform}-${arch}${platform === "linux" && isMusl ? "-musl" : ""}`;
}
