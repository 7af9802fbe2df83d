/**
 * Names of bases as people write them, made comparable: `Ft. Bragg`, `FORT BRAGG` and `ftbragg` are one name, and
 * `Shaw A F B` is `Shaw Air Force Base`.
 */

import { remembering } from '../../shared/texts.js'

/** Words and their short forms, the longer ones first. */
const shortForms: readonly (readonly [RegExp, string])[] = [
  [/\b(?:UNITED STATES|U S)\b/g, 'US'],
  [/\bA F B\b|\b(?:US )?AIR FORCE BASE\b/g, 'AFB'],
  [/\bS F B\b|\b(?:US )?SPACE FORCE BASE\b/g, 'SFB'],
  [/\bAIR RESERVE BASE\b/g, 'ARB'],
  [/\bAIR NATIONAL GUARD BASE\b/g, 'ANGB'],
  [/\bJOINT RESERVE BASE\b/g, 'JRB'],
  [/\bJOINT EXPEDITIONARY BASE\b/g, 'JEB'],
  [/\bJOINT BASE\b|\bJ B(?= )/g, 'JB'],
  [/\b(?:US )?(?:NAVAL|NAVY) AIR STATION\b/g, 'NAS'],
  [/\b(?:US )?(?:NAVAL|NAVY) STATION\b|\bNAVSTA\b/g, 'NS'],
  [/\b(?:US )?(?:NAVAL|NAVY) (?:SUBMARINE|SUB) BASE\b|\b(?:SUBMARINE|SUB) BASE\b/g, 'SUBASE'],
  [/\b(?:US )?(?:NAVAL|NAVY) BASE\b/g, 'NB'],
  [/\b(?:NAVAL|NAVY) SUPPORT ACTIVITY\b/g, 'NSA'],
  [/\bNAVAL AMPHIBIOUS BASE\b/g, 'NAB'],
  [/\b(?:US )?MARINE CORPS AIR STATION\b/g, 'MCAS'],
  [/\b(?:US )?(?:MARINE CORPS|USMC) BASE\b/g, 'MCB'],
  [/\b(?:US )?MARINE CORPS RECRUIT DEPOT\b/g, 'MCRD'],
  [/\bUSCG\b|\b(?:US )?COAST GUARD\b/g, 'CG'],
  [/\bARMY (?:AIRFIELD|AIR FIELD)\b/g, 'AAF'],
  [/\bUS ARMY GARRISON\b/g, 'USAG'],
  [/\bTWENTY ?NINE\b/g, '29'],
  [/\b(?:FT|FRT)\b/g, 'FORT'],
  [/\bSAINT\b/g, 'ST'],
  [/^THE /, ''],
]

/** Capitals, digits and single spaces, with the usual short forms. */
export function placeName(text: string): string {
  const plain = text
    .slice(0, 120)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/['’.`]/g, '')
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()
  return shortForms.reduce((name, [long, short]) => name.replace(long, short), plain)
}

/** A name without its spaces; a word that begins with `FT` is a fort's. */
export const placeKey = remembering((text) =>
  placeName(text)
    .replaceAll(' ', '')
    .replace(/^FT(?=[A-Z]{3})/, 'FORT'),
)

/** What a base is, by the words of its name: those of one family are taken for each other. */
const families: Readonly<Record<string, string>> = {
  FORT: 'fort',
  CAMP: 'camp',
  USAG: 'army',
  AAF: 'army',
  ARMY: 'army',
  POST: 'army',
  AFB: 'air',
  SFB: 'air',
  ARB: 'air',
  ANGB: 'air',
  JB: 'joint',
  JRB: 'navy',
  JEB: 'navy',
  NAS: 'navy',
  NS: 'navy',
  NB: 'navy',
  NSA: 'navy',
  NAB: 'navy',
  SUBASE: 'navy',
  NAVY: 'navy',
  NAVAL: 'navy',
  MCAS: 'marines',
  MCB: 'marines',
  MCRD: 'marines',
  MARINE: 'marines',
  MARINES: 'marines',
  CG: 'coast guard',
}

/** Words that do not tell one base from another. */
const fillers = new Set(
  'US THE AIR FORCE SPACE CORPS BASE STATION FIELD AIRFIELD GARRISON INSTALLATION RESERVATION DEFENSE SUPPLY DISTRIBUTION CENTER DLA TRAINING SECTOR'.split(
    ' ',
  ),
)

/** A name without the words that say what it is; `families` are those of these words. */
interface NameStem {
  stem: string
  families: ReadonlySet<string>
}

/** `Norfolk Naval Base` and `Naval Station Norfolk` have the stem `NORFOLK` and are the Navy's. */
export function stemOf(text: string): NameStem {
  const words = placeName(text.replace(/^FT(?=[A-Z]{3})/i, 'FT '))
    .replace(/ \d{5}$/, '')
    .split(' ')
  return {
    stem: words.filter((word) => families[word] === undefined && !fillers.has(word)).join(''),
    families: new Set(words.flatMap((word) => families[word] ?? [])),
  }
}
