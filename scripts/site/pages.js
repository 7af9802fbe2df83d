import { globSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'

/** Headings of the menu, and the pages below them, in order; a pattern stands for its files by name. */
const groups = [
  ['Learn', ['README.md', 'docs/tutorial.md', 'docs/cookbook.md']],
  ['How to', ['docs/daily-work.md', 'docs/webhooks.md', 'docs/sandbox.md', 'docs/*.md']],
  [
    'How to, in code',
    ['client', 'webhooks', 'languages', 'listener', 'bulk', 'testing', 'errors', 'observability'].map(
      (name) => `docs/guides/${name}.md`,
    ),
  ],
  ['Look up', ['docs/reference/*.md', 'docs/openapi.md', 'docs/jq.md', 'CHANGELOG.md']],
  ['Commands', ['docs/commands/README.md', 'docs/commands/*.md']],
  [
    'Understand',
    [
      'docs/architecture.md',
      'docs/reliability.md',
      'SECURITY.md',
      'docs/performance.md',
      'docs/dependencies.md',
      'CONTRIBUTING.md',
    ],
  ],
]

/** The pages that exist as Markdown: their files and where they go. */
export function sourcePages() {
  const named = new Set(groups.flatMap(([, patterns]) => patterns.filter((pattern) => !pattern.includes('*'))))
  const taken = new Set()
  return groups.flatMap(([group, patterns]) =>
    patterns
      .flatMap((pattern) => (pattern.includes('*') ? filesOf(pattern).filter((file) => !named.has(file)) : [pattern]))
      .filter((source) => !taken.has(source) && taken.add(source))
      .map((source) => ({ group, source, path: pathOf(source), text: readFileSync(source, 'utf8') })),
  )
}

function filesOf(pattern) {
  return globSync(pattern)
    .map((file) => file.replaceAll(sep, '/'))
    .sort()
}

function pathOf(source) {
  if (source === 'README.md') return 'index.html'
  return source
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html')
    .toLowerCase()
}

/** The menu: groups with the titles and paths of their pages. */
export function navigation(pages) {
  const names = [...new Set(pages.map(({ group }) => group))]
  return names.map((name) => ({ name, pages: pages.filter(({ group }) => group === name) }))
}
