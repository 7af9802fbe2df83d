import type { Style } from './style.js'
import { textWidth, wrap } from './text-width.js'

/** A command inside a sentence, up to the end of the sentence or clause. */
const command = /\bdlv (?:\S+ )*?\S+?(?=[.,;:!?)]*(?:$|\n)|[.,;:!?)]+ )/g
/** Stands for a space that no line may end at. */
const joiner = '\u0000'

/**
 * Sentences for a terminal, wrapped between words at its width, with what indents a line kept; a command in them stays on
 * one line, for people to copy. Elsewhere, and for those who have it read aloud, the text as it is.
 */
export function prose(text: string, { terminal, accessible, columns }: ProseStyle): string {
  if (!terminal || accessible) return text
  return text
    .split('\n')
    .flatMap((line) => wrapped(line, columns))
    .join('\n')
}

export type ProseStyle = Pick<Style, 'terminal' | 'accessible' | 'columns'>

function wrapped(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line]
  const margin = /^ */.exec(line)?.[0] ?? ''
  const joined = line.trimStart().replace(command, (words) => words.replaceAll(' ', joiner))
  return wrap(joined, columns - margin.length).map((part) => margin + part.replaceAll(joiner, ' '))
}
