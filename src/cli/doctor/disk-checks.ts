import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { profileFilePath } from '../../profiles/index.js'
import { secretFault, secretFile } from '../../sandbox/owner-proof/index.js'
import { shellWord } from '../../shared/command-words.js'
import { fileReasons } from '../../shared/node-errors.js'
import { type Finding, ok, problem, warning } from './finding.js'

/** Written to find out whether the data directory can be written. */
const trialBytes = 65_536

const freeSpace = 'Free some space, or set DLV_DATA_DIR.'

/** Why a file cannot be written. */
interface Fault {
  reason: string
  isFull: boolean
}

/** Whether the profiles file can be kept, and only its owner reads it. */
export function fileFinding(configDir: string): Finding {
  const file = profileFilePath(configDir)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    const fault = whyNothingCanBeMadeIn(configDir)
    return fault === undefined
      ? ok('profiles file', 'not created yet')
      : warning(
          'profiles file',
          `Cannot create ${file}: ${fault.reason}; no profile can be kept.`,
          fault.isFull
            ? 'Free some space, or set DLV_CONFIG_DIR.'
            : 'Check the permissions of its directory, or set DLV_CONFIG_DIR.',
        )
  }
  const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0
  return isPrivate
    ? ok('profiles file', `${file}, readable only by you`)
    : problem('profiles file', `${file} is readable by others`, `chmod 600 ${file}`)
}

/** Whether the data directory can be written, and not by everybody. */
export function dataFinding(directory: string): Finding {
  if (!existsSync(directory)) {
    const fault = whyNothingCanBeMadeIn(directory)
    if (fault === undefined) return ok('data directory', `${directory}, not created yet`)
    const hint = fault.isFull ? freeSpace : 'Check the permissions of the directories above it, or set DLV_DATA_DIR.'
    return problem('data directory', `Cannot create ${directory}: ${fault.reason}.`, hint)
  }
  const file = join(directory, `.doctor-${randomUUID()}`)
  try {
    writeTrial(file)
    return exposureOf(directory) ?? ok('data directory', directory)
  } catch (error) {
    const { reason, isFull } = faultOf(error)
    const hint = isFull ? freeSpace : 'Check its permissions, or set DLV_DATA_DIR.'
    return problem('data directory', `Cannot write to ${directory}: ${reason}.`, hint)
  } finally {
    removeIfThere(file)
  }
}

/** A data directory or a secret in it that other users can replace. A group that may write to a volume is left alone. */
function exposureOf(directory: string): Finding | undefined {
  const file = secretFile(directory)
  const fault = secretFault(directory)
  if (fault !== undefined)
    return warning('data directory', `${file} ${fault}, so it proves no sandbox.`, `Remove it: rm ${shellWord(file)}`)
  const uid = process.getuid?.()
  if (uid === undefined) return undefined
  const stats = statSync(directory)
  if (stats.uid !== uid && stats.uid !== 0)
    return warning(
      'data directory',
      `${directory} belongs to another user.`,
      'Set DLV_DATA_DIR to a directory of yours.',
    )
  if ((stats.mode & 0o002) === 0) return undefined
  return warning('data directory', `Anyone can write to ${directory}.`, `chmod o-w ${shellWord(directory)}`)
}

/** Why a directory cannot be made, or nothing in it, judged by the nearest one that exists; `undefined` if it can. */
function whyNothingCanBeMadeIn(directory: string): Fault | undefined {
  let nearest = directory
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  const trial = join(nearest, `.doctor-${randomUUID()}`)
  try {
    mkdirSync(trial, { mode: 0o700 })
    writeTrial(join(trial, 'trial'))
    return undefined
  } catch (error) {
    const { reason, isFull } = faultOf(error)
    return { reason: `${reason} (${nearest})`, isFull }
  } finally {
    removeIfThere(trial)
  }
}

/** Only a write tells of a full disk, a quota or a file system that is mounted read-only. */
function writeTrial(file: string): void {
  writeFileSync(file, Buffer.alloc(trialBytes), { mode: 0o600, flush: true })
}

function faultOf(error: unknown): Fault {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return { reason: fileReasons[code] ?? code, isFull: ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code) }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true, recursive: true })
  } catch {
    // It could not be created either.
  }
}
