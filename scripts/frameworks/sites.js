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

/** What a new app of AdonisJS has, as far as it takes a webhook: its parser of bodies runs before every route. */
const adonisFiles = {
  'adonisrc.js': `import { defineConfig } from '@adonisjs/core/app'
export default defineConfig({
  providers: [() => import('@adonisjs/core/providers/app_provider')],
  preloads: [() => import('./start/kernel.js'), () => import('./start/hooks.js'), () => import('./start/guess.js')],
})
`,
  'config/app.js':
    "import { defineConfig } from '@adonisjs/core/http'\nexport const appKey = 'a-key-of-an-app-that-is-only-tried'\nexport const http = defineConfig({})\n",
  'config/bodyparser.js':
    "import { defineConfig } from '@adonisjs/core/bodyparser'\nexport default defineConfig({ json: { types: ['application/json'] } })\n",
  'config/encryption.js':
    "import { defineConfig, drivers } from '@adonisjs/core/encryption'\nexport default defineConfig({ default: 'gcm', list: { gcm: drivers.aes256gcm({ id: 'gcm', keys: ['a-key-of-an-app-that-is-only-tried'] }) } })\n",
  'config/logger.js':
    "import { defineConfig } from '@adonisjs/core/logger'\nexport default defineConfig({ default: 'app', loggers: { app: { enabled: false } } })\n",
  'start/kernel.js':
    "import router from '@adonisjs/core/services/router'\nrouter.use([() => import('@adonisjs/core/bodyparser_middleware')])\n",
  'server.js': `import 'reflect-metadata'
import { Ignitor } from '@adonisjs/core'
const root = new URL('./', import.meta.url)
const importer = (path) => (path.startsWith('.') ? import(new URL(path, root).href) : import(path))
await new Ignitor(root, { importer }).httpServer().start()
`,
}

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
  adonis: {
    files: adonisFiles,
    start: () => ['server.js'],
    head: "import router from '@adonisjs/core/services/router'\n",
    routes: {
      adonis: {
        file: (name) => `start/${name}.js`,
        path: (name) => `/${name}`,
        guess:
          "const hooks = expressReceiver({ secrets, onEvent })\nrouter.post('/guess', ({ request, response }) => hooks(request.request, response.response))",
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
  const { files, build, start, routes, head = '' } = sites[name]
  const place = join(folder, name)
  const all = Object.entries({ 'package.json': '{"type":"module","private":true}\n', ...files })
  for (const [route, { file, guess }] of Object.entries(routes))
    all.push([file('hooks'), head + textOf(route)], [file('guess'), head + textOf(route, guess)])
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
  if (build !== undefined) {
    const built = run(build)
    const [code] = await once(built, 'exit')
    if (code !== 0) throw new Error(`${name} was not built: ${built.said.slice(-2_000)}`)
  }
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
