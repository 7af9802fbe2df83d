/** A whole page: menu, text, what is on this page. */
export function pageTemplate(page, menu, version) {
  const root = '../'.repeat(page.path.split('/').length - 1)
  const inside = page.sections.filter(({ id, level }) => id !== '' && level === 2)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · dlv</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}assets/site.css">
<script type="module" src="${root}assets/site.js" data-root="${root}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${root}index.html">dlv <small>${escaped(version)}</small></a>
<button type="button" class="menu" aria-expanded="false" aria-controls="menu">Menu</button>
<div class="search" role="search">
<input type="search" aria-label="Search" placeholder="Search ( / )" autocomplete="off">
<ul class="results" hidden></ul>
</div>
</header>
<div class="layout">
<nav id="menu" aria-label="Pages">
${menu.map((group) => menuGroup(group, page, root)).join('\n')}
</nav>
<main id="content">
${page.html}
</main>
${inside.length > 2 ? tableOfContents(inside) : ''}
</div>
</body>
</html>
`
}

function menuGroup({ name, pages }, current, root) {
  const isOpen = !['Commands', 'API'].includes(name) || pages.includes(current)
  const items = pages.map((page) => {
    const mark = page === current ? ' aria-current="page"' : ''
    return `<li><a href="${root}${page.path}"${mark}>${escaped(page.path === 'index.html' ? 'Overview' : page.title)}</a></li>`
  })
  return `<details${isOpen ? ' open' : ''}><summary>${escaped(name)}</summary><ul>${items.join('')}</ul></details>`
}

function tableOfContents(sections) {
  const items = sections.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`)
  return `<aside aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></aside>`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
