import { hash } from 'node:crypto'

const begin = /^<!-- dlv:begin (?<mark>[0-9a-f]{12}) [^\n]*-->\n/m
const end = '<!-- dlv:end -->'
const remark = 'Written by dlv agent setup, which replaces it; write your own text outside.'

/** A file with a section of ours, and what was written around it. */
export interface SectionChange {
  /** The whole file afterwards. */
  text: string
  /** Text of somebody else would be lost. */
  overwrites: boolean
}

/** The section with its markers; the first one tells whether somebody has edited it since. */
function markedSection(content: string): string {
  return `<!-- dlv:begin ${markOf(content)} ${remark} -->\n${content.trimEnd()}\n${end}\n`
}

/** Puts the section into a file: in the place of the one that it has, otherwise at its end. */
export function withSection(before: string | undefined, content: string): SectionChange {
  const section = markedSection(content)
  if (before === undefined || before.trim() === '') return { text: section, overwrites: false }
  const found = sectionIn(before)
  if (found === undefined) return { text: `${before.trimEnd()}\n\n${section}`, overwrites: false }
  const text = before.slice(0, found.start) + section + before.slice(found.end)
  return { text, overwrites: found.isEdited }
}

/** Replaces a whole file of ours; everything in a file that has no section of ours is somebody else's. */
export function wholeFile(before: string | undefined, head: string, content: string): SectionChange {
  const text = `${head}\n\n${markedSection(content)}`
  if (before === undefined || before.trim() === '') return { text, overwrites: false }
  const found = sectionIn(before)
  const isOurs = found !== undefined && !found.isEdited && before.slice(0, found.start).trim() === head.trim()
  return { text, overwrites: !isOurs || before.slice(found.end).trim() !== '' }
}

function sectionIn(text: string): { start: number; end: number; isEdited: boolean } | undefined {
  const found = begin.exec(text)
  if (found === null) return undefined
  const contentStart = found.index + found[0].length
  const endAt = text.indexOf(end, contentStart)
  if (endAt === -1) return undefined
  const lineEnd = text.indexOf('\n', endAt)
  const isEdited = markOf(text.slice(contentStart, endAt)) !== found.groups?.mark
  return { start: found.index, end: lineEnd === -1 ? text.length : lineEnd + 1, isEdited }
}

function markOf(content: string): string {
  return hash('sha256', content.trimEnd(), 'hex').slice(0, 12)
}
