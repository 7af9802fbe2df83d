/** Errors of files in words, by their code. */
export const fileReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'it is in use',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'a file of that name exists',
  EFBIG: 'the file would be too large',
  EIO: 'input/output error',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
}
