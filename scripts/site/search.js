// How the site searches, apart from the page, so that a test can ask as well.

/** What the index keeps of each section. */
export const indexed = {
  fields: ['title', 'text', 'page'],
  storeFields: ['title', 'page', 'url'],
  // "deliveries" and "delivery" are one word.
  processTerm: (term) =>
    term
      .toLowerCase()
      .replace(/ies$/, 'y')
      .replace(/(?<=[^s])s$/, ''),
}

/** Words of a question that say nothing about its subject. */
const filler = new Set(
  'a an and are can do does for from how i in into is it me my of on or the there this to use what when where which who why with you your'.split(
    ' ',
  ),
)

/** Pages for people come before those for programmers and lists, and the reference, whose many small sections each match well, last. */
function weightOf(url) {
  if (url.startsWith('api/')) return 0.2
  if (/^(?:changelog|contributing|docs\/(?:architecture|dependencies|performance|reliability))\./.test(url)) return 0.3
  if (/^docs\/(?:commands|guides)\//.test(url)) return 0.7
  return 1
}

/** The sections that fit all words, or else any; a title in full is found first. */
export function search(index, words) {
  const told = words.toLowerCase().match(/[^\s?!,]+/g) ?? []
  const asked = told.filter((word) => !filler.has(word))
  const query = (asked.length === 0 ? told : asked).join(' ')
  const options = {
    prefix: (term) => term.length > 2,
    fuzzy: 0.15,
    boost: { title: 4, page: 2 },
    boostDocument: (_id, _term, { url, title }) => (title.toLowerCase() === query ? 1.5 : weightOf(url)),
  }
  const all = index.search(query, { ...options, combineWith: 'AND' })
  return all.length > 0 ? all : index.search(query, { ...options, combineWith: 'OR' })
}
