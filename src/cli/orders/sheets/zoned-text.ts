import { UsageError } from '../../../contract/index.js'
import { isTimeZone, momentsOf } from '../../../trade/zoned-time.js'
import { clockChangeError, shortIso, type WallTime } from '../../input/wall-time.js'
import { writtenTimeOf } from './written-time.js'

/** Names of clocks in winter and in summer: their offset from UTC, and a zone that keeps them. */
const clockNames: Readonly<Record<string, readonly [offset: string, zone?: string]>> = {
  UTC: ['Z'],
  GMT: ['Z'],
  Z: ['Z'],
  AST: ['-04:00'],
  EST: ['-05:00', 'America/New_York'],
  EDT: ['-04:00', 'America/New_York'],
  CST: ['-06:00', 'America/Chicago'],
  CDT: ['-05:00', 'America/Chicago'],
  // Arizona has it all year.
  MST: ['-07:00'],
  MDT: ['-06:00', 'America/Denver'],
  PST: ['-08:00', 'America/Los_Angeles'],
  PDT: ['-07:00', 'America/Los_Angeles'],
  AKST: ['-09:00', 'America/Anchorage'],
  AKDT: ['-08:00', 'America/Anchorage'],
  HST: ['-10:00'],
  CHST: ['+10:00'],
}

/** Names that say neither winter nor summer. */
const zoneNames: Readonly<Record<string, string>> = {
  ET: 'America/New_York',
  CT: 'America/Chicago',
  MT: 'America/Denver',
  PT: 'America/Los_Angeles',
  EASTERN: 'America/New_York',
  CENTRAL: 'America/Chicago',
  MOUNTAIN: 'America/Denver',
  PACIFIC: 'America/Los_Angeles',
}

/** As programs and databases print a moment; PostgreSQL shortens the offset to its hours, Go adds the clock's name. */
const printed =
  /^(\d{4}-\d{2}-\d{2})[T\s]+(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?\s*(?:(Z|UTC|GMT)|([+-](?:0\d|1[0-4]))(?::?(\d{2}))?)(?: [A-Z]{3,4})?$/i
/** A time, and the name or offset of clocks behind it. */
const named =
  /^(.*?\d.*?)\s+\(?(?:([A-Za-z]+\/\w+)|([A-Za-z]{1,8})(?: Time)?|(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?)\)?$/
/** `Mon Nov 30 17:00:00 EST 2036`, as Java and `date` print it. */
const yearLast = /^(\p{L}{3} \p{L}{3} +\d{1,2}) (\d{2}:\d{2}:\d{2}) (\S{1,5}) (\d{4})$/u

interface Reading {
  wallOf(text: string): WallTime | undefined
}

/**
 * The moment of a time that names its zone: `2026-11-27 09:14:33 -0500`, as shops write it, `2026-11-27 09:14:33+00`, as
 * PostgreSQL does, `11/30/2036 3:00 PM ET`; `undefined` for another, and for what is a moment as it is.
 *
 * @param reading how dates are read
 * @param path the field that it is of, for an error
 * @throws UsageError for a clock that is not kept then, such as EST in July, and an hour that clocks skip or show twice
 */
export function zonedMoment(given: string, reading: Reading | undefined, path: string): string | undefined {
  if (given.length > 200) return undefined
  const found = printed.exec(given)
  const [, date = '', time = '', seconds, utc, hours, minutes] = found ?? []
  // `17:00-19` is rather a window.
  if (found !== null && (utc !== undefined || minutes !== undefined || seconds !== undefined)) {
    const written = `${date}T${time}${seconds ?? ':00'}${utc === undefined ? `${hours}:${minutes ?? '00'}` : 'Z'}`
    return written === given || Number.isNaN(Date.parse(written)) ? undefined : written
  }
  const text = given
    .trim()
    .replace(/(GMT[+-]\d{4}) \([^)]*\)$/, '$1')
    .replace(yearLast, '$1 $4 $2 $3')
  const [, bare = '', zone, name = '', sign, hour, minute] = named.exec(text) ?? []
  const [offset, place] =
    sign === undefined ? clockOf(name, zone) : [`${sign}${hour?.padStart(2, '0')}:${minute ?? '00'}`]
  if (offset === undefined && place === undefined) return undefined
  const wall = reading === undefined ? writtenTimeOf(bare)?.wall : reading.wallOf(bare)
  if (wall === undefined) return undefined
  const moments = place === undefined ? [] : momentsOf(wall.wallMs, place)
  if (offset === undefined) {
    if (moments.length !== 1) throw clockChangeError({ ...wall, text: given }, place ?? '', path)
    return new Date(moments[0] ?? 0).toISOString()
  }
  const moment = `${new Date(wall.wallMs).toISOString().slice(0, 19)}${offset}`
  if (place !== undefined && !moments.includes(Date.parse(moment)))
    throw new UsageError(
      `${path}: "${given.slice(0, 80)}": clocks do not show ${name} on that day; it could be ${[...moments, Date.parse(moment)].map(shortIso).join(' or ')}`,
      { hint: `Write ${name.slice(0, -2)}T for what clocks show on each day, or an offset.` },
    )
  return Number.isNaN(Date.parse(moment)) ? undefined : moment
}

/** The offset of a clock, or the zone whose clocks are meant. */
function clockOf(name: string, zone: string | undefined): readonly [offset?: string | undefined, zone?: string] {
  if (zone !== undefined) return isTimeZone(zone) ? [undefined, zone] : []
  const key = name.toUpperCase()
  // `et` is a word of other languages.
  if (Object.hasOwn(zoneNames, key)) return name.length === 2 && name !== key ? [] : [undefined, zoneNames[key]]
  return (Object.hasOwn(clockNames, key) ? clockNames[key] : undefined) ?? []
}
