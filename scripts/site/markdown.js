import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { highlighted } from './highlight.js'

const markdown = new MarkdownIt({ html: true, linkify: false, highlight: highlighted })

/**
 * A page's HTML, its title, its sections for the menu and the search, and the pictures that it shows.
 *
 * @param known the path of each page by its source
 * @param repositoryUrl where files are that the site does not have
 */
export function markdownPage({ source, path, text }, known, repositoryUrl) {
  const tokens = markdown.parse(text, {})
  const assets = new Set()
  const address = (target) => addressOf(target, { source, path, known, repositoryUrl, assets })
  const sections = [{ id: '', title: '', level: 1, text: '' }]
  const ids = new Set()
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[at + 1])
      const level = Number(token.tag.slice(1))
      if (level === 1) sections[0].title = title
      else {
        const id = freeId(title, ids)
        token.attrSet('id', id)
        sections.push({ id, title, level, text: '' })
      }
    } else if (token.type === 'inline') {
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') child.attrSet('href', address(child.attrGet('href')))
        if (child.type === 'image') child.attrSet('src', address(child.attrGet('src')))
        if (child.type === 'html_inline') child.content = withAddresses(child.content, address)
      }
      sections.at(-1).text += `${plainText(token)} `
    } else if (token.type === 'html_block') token.content = withAddresses(token.content, address)
    else if (token.type === 'fence') sections.at(-1).text += `${token.content} `
  }
  const title = sections[0].title || source
  for (const section of sections) section.title ||= title
  return { title, html: markdown.renderer.render(tokens, markdown.options, {}), sections, assets: [...assets] }
}

function plainText(token) {
  return (token.children ?? [])
    .map((child) =>
      child.type === 'softbreak' ? ' ' : ['text', 'code_inline'].includes(child.type) ? child.content : '',
    )
    .join('')
}

/** As GitHub makes them, so that links into a page work in both places. */
function freeId(title, taken) {
  const base = title
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
  let id = base
  for (let count = 1; taken.has(id); count++) id = `${base}-${count}`
  taken.add(id)
  return id
}

function withAddresses(html, address) {
  return html.replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (_, name, target) => `${name}="${address(target)}"`)
}

/** Where a link of a page leads on the site. */
function addressOf(target, { source, path, known, repositoryUrl, assets }) {
  if (/^(?:[a-z]+:|#)/i.test(target)) return target
  const [file, fragment] = target.split('#')
  const wanted = posix.normalize(posix.join(posix.dirname(source), file)).replace(/\/$/, '')
  const page = known.get(wanted) ?? known.get(`${wanted}/README.md`)
  const end = fragment === undefined ? '' : `#${fragment}`
  if (page !== undefined) return relative(path, page) + end
  if (!existsSync(wanted)) throw new Error(`${source} links to ${target}, which is not there`)
  if (!/\.(?:svg|png|webp)$/.test(wanted)) return `${repositoryUrl}/${wanted}${end}`
  assets.add(wanted)
  return relative(path, wanted)
}

function relative(from, to) {
  return posix.relative(posix.dirname(from), to) || posix.basename(to)
}
