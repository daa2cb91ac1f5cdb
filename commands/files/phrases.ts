// What every shell says of a path that something went wrong with.

export const PHRASES: { readonly [code: string]: string } = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  EXDEV: "Invalid cross-device link",
  EBUSY: "Something is mounted there",
  EROFS: "Read-only file system",
  EFBIG: "File too large",
  ENOSPC: "No space left",
  ECONFLICT: "Changed since it was read",
};
