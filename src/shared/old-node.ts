import { UsageError } from './dlv-error.js'

/** The error without `node:sqlite`, which undici needs too. */
export function oldNode(): UsageError {
  return new UsageError(
    `This Node has no node:sqlite: dlv-cli needs Node 22.19 or newer, this is ${process.versions.node}`,
  )
}
