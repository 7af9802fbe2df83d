import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../contract/index.js'
import { readBoundedFile } from '../../shared/bounded-file.js'
import { makeFolder, replacePrivateFile } from '../../shared/directory.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** Expansions by name. */
export type Aliases = ReadonlyMap<string, string>

const namePattern = /^[A-Za-z][A-Za-z0-9-]{0,39}$/

/** Whether a word can be the name of an alias, and of a program `dlv-NAME`: no path, no flag. */
export function isUserCommandName(word: string): boolean {
  return namePattern.test(word)
}

/**
 * Reads the aliases; none if the file does not exist.
 *
 * @throws UsageError for a file that is not a JSON object of texts
 */
export function readAliases(configDir: string): Map<string, string> {
  const file = aliasFile(configDir)
  if (!existsSync(file)) return new Map()
  const aliases = tryParseJson(textOf(file))?.value
  if (!isRecord(aliases) || Object.values(aliases).some((expansion) => typeof expansion !== 'string'))
    throw new UsageError(`${file} is not a JSON object of aliases.`, { hint: 'Correct it, or remove it.' })
  return new Map(Object.entries(aliases as Record<string, string>).filter(([name]) => isUserCommandName(name)))
}

function textOf(file: string): string {
  try {
    return readBoundedFile(file)
  } catch (cause) {
    throw new UsageError(`Cannot read ${file}: ${(cause as Error).message}.`, {
      cause,
      hint: 'Correct it, or remove it.',
    })
  }
}

/** Writes the aliases atomically, readable only by their owner. */
export function writeAliases(configDir: string, aliases: Aliases): void {
  const file = aliasFile(configDir)
  try {
    makeFolder(configDir)
    const sorted = [...aliases].sort(([one], [other]) => (one < other ? -1 : 1))
    replacePrivateFile(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
  } catch (cause) {
    throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}.`, {
      cause,
      hint: 'DLV_CONFIG_DIR chooses another directory.',
    })
  }
}

function aliasFile(configDir: string): string {
  return join(configDir, 'aliases.json')
}
