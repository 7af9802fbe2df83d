import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * SHA-256 of the Node executables that programs are built from, by version and platform. A new version of Node needs new
 * lines: compare each executable with the one in the archive of the same name that `SHASUMS256.txt` of the Node project,
 * which is signed, lists.
 */
const pins = {
  '24.21.0': {
    'linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
    'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
    'win-x64': 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
  },
}

/** Throws unless the executable is the one that is pinned for the platform. */
export function assertPinned(target, version, executable) {
  const found = createHash('sha256').update(readFileSync(executable)).digest('hex')
  const pinned = pins[version]?.[target]
  if (pinned === found) return
  throw new Error(
    pinned === undefined
      ? `Node ${version} for ${target} is not pinned in scripts/package/node-pins.js. ${executable} has ${found}.`
      : `Node ${version} for ${target} is not the pinned one: ${executable} has ${found}, expected ${pinned}.`,
  )
}
