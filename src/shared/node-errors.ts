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
