/** What acts on a terminal or is not seen there, such as marks of direction, which let a command read as another one. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Quotes a text so that a shell reads it as one word, a terminal that it is pasted into obeys none of it, and a reader
 * sees all of it.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!unseen.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = (character: string) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16)
    return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
  }
  return `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(new RegExp(unseen, 'gu'), escaped)}'`
}

/** The beginning of every id in the contract; a service may have others. */
export const deliveryIdPrefix = 'del_'

/** An id as it is read back as this id and nothing else: `del_…`, or `id:…` where it could be an order's reference. */
export function deliveryWord(deliveryId: string): string {
  return deliveryId === '' || deliveryId.startsWith(deliveryIdPrefix) ? deliveryId : `id:${deliveryId}`
}

/** The flags by which a command line chose its account, as a shell reads them; empty if it chose none. */
export function accountFlagsOf(flags: { profile?: string | undefined; 'base-url'?: string | undefined }): string {
  const words = [
    ...(flags.profile === undefined ? [] : ['-P', flags.profile]),
    ...(flags['base-url'] === undefined ? [] : ['--base-url', flags['base-url']]),
  ]
  return words.map(shellWord).join(' ')
}

/** The words of each command that uses an account, after the program's name and a space. */
const commandWords =
  /\bdlv ((?:deliveries|drivers|installations|quotes|events|teams|serviceability|webhooks(?: targets)?|sandbox(?: endpoints| snapshot)?) [a-z][a-z-]*|profiles show\b|(?:api|capabilities|doctor|drift|health|mcp|query|report|simulate|sync|ui)\b)/g

/** Commands that use no account. */
const withoutAccount = /^(?:deliveries (?:template|results)|sandbox (?:start|play|magic))$/

/** A word that belongs to the command: a flag, or anything but a word of a sentence. */
const argument = /^(?:-|['"<…]|.*[A-Z0-9_/=@$<>%])/
/** Flags whose values look like words of a sentence. */
const wordFlag = /^(?:-o|--(?:to|until|status|reason|with|sort|type|output|columns|by|fresh))$/

/** Makes each command of a text act on the account that the flags chose, unless the command chooses one itself. */
export function onAccount(text: string, accountFlags: string): string {
  if (accountFlags === '' || !text.includes('dlv ')) return text
  let shown = ''
  let done = 0
  for (const { 0: command, 1: words = '', index } of text.matchAll(commandWords)) {
    const end = endOfArguments(text, index + command.length)
    const isOwn =
      /\s(?:-P|--profile|--base-url|--help)\b/.test(text.slice(index, end)) ||
      /DLV_\w+=\S+ $/.test(text.slice(0, index))
    if (isOwn || withoutAccount.test(words)) continue
    shown += `${text.slice(done, end)} ${accountFlags}`
    done = end
  }
  return shown + text.slice(done)
}

/** Where the arguments end that follow a command; punctuation at their end is the sentence's. */
function endOfArguments(text: string, from: number): number {
  let end = from
  let before = ''
  for (;;) {
    const [found = '', word = ''] = /^ ((?:"[^"\n]*"|'[^'\n]*'|[^\s"'`|;()])+)/.exec(text.slice(end)) ?? []
    const bare = word.replace(/[.,:!?]+$/, '')
    if (bare === '' || !(argument.test(bare) || wordFlag.test(before) || bare.includes('.'))) return end
    end += found.length - (word.length - bare.length)
    if (bare !== word) return end
    before = word
  }
}
