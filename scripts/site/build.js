/**
 * `npm run site` writes the documentation as a static site to `dist-site/`: the pages of `docs/`, the guides, the commands
 * and a reference made from the package's types, with a search that needs no server.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import MiniSearch from 'minisearch'
import { apiPages } from './api-reference.js'
import { markdownPage } from './markdown.js'
import { navigation, sourcePages } from './pages.js'
import { indexed } from './search.js'
import { pageTemplate } from './template.js'

const out = process.argv[2] ?? 'dist-site'
const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const repositoryUrl = `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main`

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
const sources = [...sourcePages(), ...apiPages()]
const known = new Map(sources.map(({ source, path }) => [source, path]))
const pages = sources.map((page) => ({ ...page, ...markdownPage(page, known, repositoryUrl) }))
const menu = navigation(pages)
for (const page of pages) {
  const file = join(out, page.path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, pageTemplate(page, menu, version))
  for (const asset of page.assets) copyAsset(asset)
}
writeSearch()
cpSync('scripts/site/assets', join(out, 'assets'), { recursive: true })
copyFileSync('scripts/site/search.js', join(out, 'assets', 'search.js'))
console.log(`${pages.length} pages in ${out}/`)

/** A picture, at the place that it has in the repository. */
function copyAsset(asset) {
  mkdirSync(join(out, dirname(asset)), { recursive: true })
  copyFileSync(asset, join(out, asset))
}

/** An index of all sections, and the library that searches it. */
function writeSearch() {
  const index = new MiniSearch(indexed)
  index.addAll(
    pages.flatMap(({ path, title, sections }) =>
      sections.map((section) => ({
        id: `${path}#${section.id}`,
        url: section.id === '' ? path : `${path}#${section.id}`,
        title: section.title,
        page: title,
        text: section.text,
      })),
    ),
  )
  mkdirSync(join(out, 'assets'), { recursive: true })
  writeFileSync(join(out, 'assets', 'search-index.json'), JSON.stringify(index))
  const library = createRequire(import.meta.url)
    .resolve('minisearch')
    .replace(/dist[\\/].*$/, 'dist/es/index.js')
  copyFileSync(library, join(out, 'assets', 'minisearch.js'))
}
