import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../contract/index.js'

/** The file that records the trusted project files. */
export const trustedPath = (configDir: string): string => join(configDir, 'trusted-projects')

/**
 * Reads the project's settings for a directory. In a file that is not trusted, the output format is ignored, and so is a
 * malformed file, each with a warning through `refused`.
 *
 * @throws UsageError if a file that was trusted is malformed now: without it, another account would be used
 */
export function readProject(
  { cwd, configDir }: { cwd: string; configDir: string },
  refused?: (warning: string) => void,
): ProjectSettings | undefined {
  const found = findProjectFile(cwd, refused)
  if (found === undefined) return undefined
  try {
    const project = parseProjectFile(found)
    if (project.output === undefined || isTrusted(configDir, found)) return project
    refused?.(`${found.file} sets the output format, but it is not trusted yet: dlv profiles trust`)
    return { ...project, output: undefined }
  } catch (error) {
    if (!(error instanceof UsageError) || wasTrusted(configDir, found)) throw error
    refused?.(`${error.message} It is ignored.`)
    return undefined
  }
}

/**
 * Requires that the user has trusted the project file, because the directory may come from somebody else.
 *
 * @param effect what the file would do, such as `chooses profile "live"`
 * @throws UsageError with the command that trusts it
 */
export function requireTrust(configDir: string, project: ProjectSettings, effect: string): void {
  if (isTrusted(configDir, project)) return
  const isChanged = wasTrusted(configDir, project)
  throw new UsageError(
    `${project.file} ${effect}, but ${isChanged ? 'it has changed since you trusted it' : 'it is not trusted yet'}.`,
    { hint: 'Read it, then trust it with dlv profiles trust; -P chooses a profile without it.' },
  )
}

/** Whether a person has trusted the file with this content or another. */
function wasTrusted(configDir: string, { file }: ProjectFile): boolean {
  return records(configDir).some((line) => line.endsWith(` ${JSON.stringify(file)}`))
}

/** Whether a person has trusted the file with this content. */
export function isTrusted(configDir: string, project: ProjectFile): boolean {
  const lines = records(configDir)
  return lines.length > 0 && lines.includes(recordOf(project))
}

function records(configDir: string): string[] {
  try {
    return readFileSync(trustedPath(configDir), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A trusted file as it is recorded: a hash of its place and content, and its place. */
export function recordOf({ file, text }: ProjectFile): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return `${hash('sha256', `${file}\n${text}`, 'hex')} ${JSON.stringify(file)}`
}

/** A `.dlv.json` as it was read. */
interface ProjectFile {
  file: string
  /** Its content, which is what a person trusts. */
  text: string
}

/** The settings that a project file may contain for everyone who works in the project: never a key or a base URL. */
export interface ProjectSettings extends ProjectFile {
  profile?: string
  output?: string
  /** The targets that `webhooks listen` forwards to, by event type or `*`. */
  routes?: Record<string, string>
}

const fileName = '.dlv.json'
const allowed = ['profile', 'output', 'routes']
const maxBytes = 65_536

/**
 * Finds the nearest `.dlv.json` in or above `folder`. One that cannot be read, that another user owns or that anyone may
 * write is passed over; `refused` is told why.
 */
export function findProjectFile(folder: string, refused?: (warning: string) => void): ProjectFile | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, fileName)
    const text = readIfOwn(file, refused)
    if (text !== undefined) return { file, text }
    if (dirname(at) === at) return undefined
  }
}

function readIfOwn(file: string, refused?: (warning: string) => void): string | undefined {
  let descriptor: number
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return undefined
    refused?.(`${file} is ignored: ${message}.`)
    return undefined
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return undefined
    const uid = process.getuid?.()
    const isForeign = uid !== undefined && stats.uid !== uid
    const isOpen = uid !== undefined && (stats.mode & 0o002) !== 0
    if (!isForeign && !isOpen && stats.size <= maxBytes) return readFileSync(descriptor, 'utf8')
    const why = isForeign ? 'it belongs to another user' : isOpen ? 'anyone may write it' : 'it is larger than 64 KiB'
    refused?.(`${file} is ignored: ${why}.`)
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** Throws `UsageError` if the file contains something that is not allowed. */
export function parseProjectFile({ file, text }: ProjectFile): ProjectSettings {
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`${file} is not JSON.`, { cause })
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new UsageError(`${file} must be a JSON object.`)
  const unknown = Object.keys(settings).find((name) => !allowed.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${file} must not contain "${unknown}"; allowed are ${allowed.join(', ')}.`, {
      hint: 'Put keys and base URLs into a profile: dlv profiles add NAME',
    })
  const { profile, output, routes } = settings as Record<string, unknown>
  if (profile !== undefined && !isWord(profile)) throw new UsageError(`${file}: "profile" must be a name.`)
  if (output !== undefined && !isWord(output)) throw new UsageError(`${file}: "output" must be a format.`)
  return { file, text, profile, output, routes: routes === undefined ? undefined : parseRoutes(routes, file) }
}

/** Whether a value can be shown and asked about as it is: what trusts the file is what a terminal shows of it. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.*-]{1,64}$/.test(value)
}

function parseRoutes(routes: unknown, file: string): Record<string, string> {
  const isObject = typeof routes === 'object' && routes !== null && !Array.isArray(routes)
  if (!isObject || !Object.entries(routes).every(([type, target]) => isWord(type) && typeof target === 'string'))
    throw new UsageError(`${file}: "routes" must have a URL for each event type, or for *.`)
  return routes as Record<string, string>
}
