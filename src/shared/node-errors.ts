import { UsageError } from './dlv-error.js'

/** The error without `node:sqlite`, which undici needs too. */
export function oldNode(): UsageError {
  return new UsageError(
    `This Node has no node:sqlite: dlv-cli needs Node 22.19 or newer, this is ${process.versions.node}`,
  )
}

/** The error for an address that a server cannot listen on. `option` is the one that chooses the port. */
export function listenError(host: string, port: number, cause: unknown, option = 'port'): UsageError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new UsageError(`Port ${port} is in use on ${host}.`, {
      hint: `Stop the program that uses it, or choose another port; { ${option}: 0 } takes a free one.`,
      cause,
    })
  const [reason, hint] = reasons[code] ?? [message, undefined]
  return new UsageError(`Cannot listen on ${host}:${port}: ${reason}.`, {
    hint: hint ?? `Choose another port; { ${option}: 0 } takes a free one.`,
    cause,
  })
}

const reasons: Readonly<Record<string, readonly [reason: string, hint?: string]>> = {
  EACCES: ['permission denied'],
  ERR_SOCKET_BAD_PORT: ['a port is a number from 0 to 65535'],
  EADDRNOTAVAIL: ['this machine does not have the address', 'Choose another { host }.'],
  ENOTFOUND: ['host not found', 'Choose another { host }.'],
  EAI_AGAIN: ['host not found', 'Choose another { host }.'],
}

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
