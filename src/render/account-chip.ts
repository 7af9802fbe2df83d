import { pad, plainText, shorten, textWidth } from './plain-text.js'
import { paint, type Style } from './style.js'

/** A name is not cut to fewer columns than this. */
const widestName = 20

/** Lines of several accounts, each with its account's name in front, all equally wide. */
export class AccountChips {
  readonly #width: number

  constructor(profiles: readonly string[]) {
    this.#width = Math.min(widestName, Math.max(0, ...profiles.map((name) => textWidth(plainText(name)))))
  }

  /** The style of what stands behind a name. */
  beside(style: Style): Style {
    return { ...style, columns: Math.max(20, style.columns - this.#width - 2) }
  }

  /** The last line of a text with the account in front; lines before it, such as a new day, are everybody's. */
  line(profile: string, text: string, style: Style): string {
    if (!style.terminal) return `${plainText(profile)}\t${text}`
    if (style.accessible) return `${plainText(profile)}: ${text}`
    const at = text.lastIndexOf('\n') + 1
    return `${text.slice(0, at)}${this.chip(profile, style)}  ${text.slice(at)}`
  }

  chip(profile: string, style: Pick<Style, 'colour'>): string {
    return paint(style, 'magenta', pad(shorten(plainText(profile), this.#width), this.#width))
  }
}
