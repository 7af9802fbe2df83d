// Frameworks that build a site: the block of the page and the guess are two routes of one site.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const parsedFirst = 'const hooks = fetchReceiver({ secrets, onEvent })\n'
const svelteVite =
  "import adapter from '@sveltejs/adapter-node'\nimport { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit({ adapter: adapter() })] }\n"
const astroConfig =
  "import node from '@astrojs/node'\nexport default { output: 'server', adapter: node({ mode: 'standalone' }) }\n"

/** How each site is built and started, and its routes: where a block goes, and the app that one would guess. */
export const sites = {
  next: {
    files: { 'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>\n' },
    build: ['node_modules/next/dist/bin/next', 'build'],
    start: (port) => ['node_modules/next/dist/bin/next', 'start', '-p', port, '-H', '127.0.0.1'],
    routes: {
      'next-app': {
        file: (name) => `app/${name}/route.js`,
        path: (name) => `/${name}`,
        guess: `${parsedFirst}export async function POST(request) {\n  await request.json()\n  return hooks(request)\n}`,
      },
      'next-pages': {
        file: (name) => `pages/api/${name}.js`,
        path: (name) => `/api/${name}`,
        guess: 'export default expressReceiver({ secrets, onEvent })',
      },
    },
  },
  sveltekit: {
    files: {
      'vite.config.js': svelteVite,
      'src/app.html': '<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
    },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    start: () => ['build/index.js'],
    routes: {
      sveltekit: {
        file: (name) => `src/routes/${name}/+server.js`,
        path: (name) => `/${name}`,
        guess: `${parsedFirst}export async function POST({ request }) {\n  await request.json()\n  return hooks(request)\n}`,
      },
    },
  },
  astro: {
    files: { 'astro.config.mjs': astroConfig },
    build: ['node_modules/astro/bin/astro.mjs', 'build'],
    start: () => ['dist/server/entry.mjs'],
    routes: {
      astro: {
        file: (name) => `src/pages/${name}.js`,
        path: (name) => `/${name}`,
        guess: `${parsedFirst}export const prerender = false\nexport async function POST({ request }) {\n  await request.json()\n  return hooks(request)\n}`,
      },
    },
  },
}

/** Builds a site with the blocks of its routes and starts it; what to do with it, and how to end it. */
export async function startSite(name, { folder, port, env, textOf }) {
  const { files, build, start, routes } = sites[name]
  const place = join(folder, name)
  const all = Object.entries({ 'package.json': '{"type":"module","private":true}\n', ...files })
  for (const [route, { file, guess }] of Object.entries(routes))
    all.push([file('hooks'), textOf(route)], [file('guess'), textOf(route, guess)])
  for (const [path, text] of all) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
  const environment = { ...process.env, ...env, NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' }
  const run = (words) => {
    const [file, ...rest] = words.map((word) => String(word).replace(/^node_modules\//, `${folder}/node_modules/`))
    const child = spawn(process.execPath, [file, ...rest], { cwd: place, env: environment })
    child.said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        child.said += piece
      })
    return child
  }
  const built = run(build)
  const [code] = await once(built, 'exit')
  if (code !== 0) throw new Error(`${name} was not built: ${built.said.slice(-2_000)}`)
  const child = run(start(port))
  for (let attempt = 0; attempt < 150; attempt++) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return child
}
