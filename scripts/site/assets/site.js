// Opens the menu on a narrow screen, and searches an index that is loaded with the first search.
import { indexed, search as sectionsFor } from './search.js'

const root = document.querySelector('script[data-root]').dataset.root
const menu = document.querySelector('.menu')
const nav = document.querySelector('nav')
menu.addEventListener('click', () => {
  const isOpen = nav.classList.toggle('open')
  menu.setAttribute('aria-expanded', String(isOpen))
})

const input = document.querySelector('.search input')
const results = document.querySelector('.results')
let index

async function load() {
  const [{ default: MiniSearch }, text] = await Promise.all([
    import('./minisearch.js'),
    fetch(`${root}assets/search-index.json`).then((response) => response.text()),
  ])
  return MiniSearch.loadJSON(text, indexed)
}

async function search() {
  const words = input.value.trim()
  results.hidden = words === ''
  if (words === '') return
  index ??= load()
  const found = sectionsFor(await index, words)
  results.replaceChildren(...(found.length === 0 ? [message('Nothing found')] : found.slice(0, 12).map(entry)))
}

function entry({ url, title, page }) {
  const link = document.createElement('a')
  link.href = root + url
  const place = document.createElement('small')
  place.textContent = title === page ? '' : ` ${page}`
  link.append(title, place)
  return message(link)
}

function message(content) {
  const item = document.createElement('li')
  item.append(content)
  return item
}

input.addEventListener('input', search)
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return
  results.querySelector('a')?.click()
  results.hidden = true
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') results.hidden = true
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) results.hidden = true
})
