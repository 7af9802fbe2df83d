import type { RunHeader } from './run-record.js'

/** The seal at the end of a line. */
const atEnd = /,"seal":"([0-9a-f]+)"\}$/

/**
 * A line of results with a seal: of the profile, of the body that the row had, and of what the line says. A seal that was
 * copied from another line, run or order fits nothing else.
 */
export function sealedLine(json: string, bodyHash: string | undefined, header: RunHeader): string {
  if (header.seal === undefined) return json
  return `${json.slice(0, -1)},"seal":"${sealOf(json, bodyHash, header.seal, header.profile)}"}`
}

/** Whether a line of results was sealed by this user of this machine. */
export function isSealed(line: string, bodyHash: string | undefined, header: RunHeader): boolean {
  if (header.seal === undefined) return true
  const found = atEnd.exec(line)
  if (found === null) return false
  return found[1] === sealOf(line.replace(atEnd, '}'), bodyHash, header.seal, header.profile)
}

function sealOf(json: string, bodyHash: string | undefined, seal: (text: string) => string, profile: string): string {
  return seal(JSON.stringify(['line', profile, bodyHash ?? '', json])).slice(0, 32)
}

/** The seal of the header of a record that was accepted, with all that stands before it. */
export function acceptanceSeal(before: string, { seal, profile }: RunHeader): string | undefined {
  return seal?.(JSON.stringify(['accepted', profile, before]))
}
