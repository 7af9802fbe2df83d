// Each block of docs/in-your-framework.md with the real framework, and the app that one would guess, in processes of their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { newSecret, testReceiver } from 'dlv-cli/webhooks'
import { freePort } from '../../test/support/free-port.ts'
import { sites, startSite } from './sites.js'

const page = readFileSync('docs/in-your-framework.md', 'utf8')
const folder = process.argv[2]
const only = process.argv[3]

const listen = "app.listen(port, '127.0.0.1', up)"
const fetchServer = "serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, up)"
/** A function behind API Gateway, version 2, as it hands over what it takes for binary. */
const lambda = `createServer(async (request, response) => {
  const body = (await buffer(request)).toString('base64')
  const http = { method: request.method, path: request.url, sourceIp: '127.0.0.1', protocol: 'HTTP/1.1' }
  const event = { version: '2.0', rawPath: request.url, rawQueryString: '', headers: request.headers, requestContext: { http }, body, isBase64Encoded: true }
  const answer = await handler(event, {})
  response.writeHead(answer.statusCode, answer.headers).end(answer.body)
}).listen(port, '127.0.0.1', up)`
/** The imports of each block, how its app is started, and the app that one would guess. */
const frameworks = {
  express: {
    imports: "import express from 'express'",
    start: listen,
    guess: "const app = express()\napp.use(express.json())\napp.post('/hooks', expressReceiver({ secrets, onEvent }))",
  },
  polka: {
    imports: "import polka from 'polka'\nimport express from 'express'",
    start: listen,
    guess: "const app = polka()\napp.use(express.json())\napp.post('/hooks', expressReceiver({ secrets, onEvent }))",
  },
  connect: {
    imports: "import connect from 'connect'\nimport express from 'express'",
    start: listen,
    guess: "const app = connect()\napp.use(express.json())\napp.use('/hooks', expressReceiver({ secrets, onEvent }))",
  },
  tinyhttp: {
    imports: "import { App } from '@tinyhttp/app'\nimport express from 'express'",
    start: "app.listen(port, up, '127.0.0.1')",
    guess: "const app = new App()\napp.use(express.json())\napp.post('/hooks', expressReceiver({ secrets, onEvent }))",
  },
  restify: {
    imports: "import restify from 'restify'",
    start: listen,
    guess:
      "const app = restify.createServer()\napp.use(restify.plugins.bodyParser())\napp.post('/hooks', expressReceiver({ secrets, onEvent }))",
  },
  nest: {
    imports:
      "import 'reflect-metadata'\nimport { Module } from '@nestjs/common'\nimport { NestFactory } from '@nestjs/core'\nclass AppModule {}\nModule({})(AppModule)",
    start: "await app.listen(port, '127.0.0.1')\nup()",
    guess:
      "const app = await NestFactory.create(AppModule, { logger: false })\napp.use('/hooks', expressReceiver({ secrets, onEvent }))",
  },
  koa: {
    imports: "import Koa from 'koa'\nimport bodyParser from 'koa-bodyparser'",
    start: listen,
    guess:
      'const app = new Koa()\nconst hooks = expressReceiver({ secrets, onEvent })\napp.use(bodyParser())\napp.use(async (context) => {\n  context.respond = false\n  await hooks(context.req, context.res)\n})',
  },
  hapi: {
    imports: "import hapi from '@hapi/hapi'",
    start: 'await app.start()\nup()',
    guess:
      "const hooks = expressReceiver({ secrets, onEvent })\nconst app = hapi.server({ port, host: '127.0.0.1' })\napp.route({ method: 'POST', path: '/hooks', handler: async ({ raw: { req, res } }, h) => {\n  await hooks(req, res)\n  return h.abandon\n} })",
  },
  h3: {
    imports:
      "import { createApp, defineEventHandler, readBody, toNodeListener } from 'h3'\nimport { createServer } from 'node:http'",
    start: "createServer(toNodeListener(app)).listen(port, '127.0.0.1', up)",
    guess:
      "const app = createApp()\nconst hooks = expressReceiver({ secrets, onEvent })\napp.use('/hooks', defineEventHandler(async (event) => {\n  await readBody(event)\n  return hooks(event.node.req, event.node.res)\n}))",
  },
  'h3-2': {
    imports: "import { H3, serve } from 'h3-2'",
    start: "await serve(app, { port, hostname: '127.0.0.1', silent: true }).ready()\nup()",
    guess:
      "const app = new H3()\nconst hooks = fetchReceiver({ secrets, onEvent })\napp.post('/hooks', async (event) => {\n  await event.req.json()\n  return hooks(event)\n})",
  },
  fastify: {
    imports: "import Fastify from 'fastify'",
    start: "await app.listen({ port, host: '127.0.0.1' })\nup()",
    guess:
      "const app = Fastify()\nconst hooks = expressReceiver({ secrets, onEvent })\napp.post('/hooks', (request, reply) => {\n  reply.hijack()\n  return hooks(request.raw, reply.raw)\n})",
  },
  hono: {
    imports: "import { Hono } from 'hono'\nimport { serve } from '@hono/node-server'",
    start: fetchServer,
    guess:
      "const app = new Hono()\nconst hooks = fetchReceiver({ secrets, onEvent })\napp.post('/hooks', async (context) => {\n  await context.req.raw.json()\n  return hooks(context.req.raw)\n})",
  },
  elysia: {
    imports: "import { Elysia } from 'elysia'\nimport { serve } from '@hono/node-server'",
    start: fetchServer,
    guess: "const app = new Elysia()\napp.post('/hooks', fetchReceiver({ secrets, onEvent }), { parse: 'json' })",
  },
  'functions-framework': {
    imports:
      "import * as functions from '@google-cloud/functions-framework'\nimport { getTestServer } from '@google-cloud/functions-framework/testing'",
    start: "getTestServer('hooks').listen(port, '127.0.0.1', up)",
    guess:
      "const hooks = fetchReceiver({ secrets, onEvent })\nfunctions.http('hooks', async (request, response) => {\n  const answer = await hooks(request)\n  response.status(answer.status).send(await answer.text())\n})",
  },
  'serverless-http': {
    imports:
      "import express from 'express'\nimport serverless from 'serverless-http'\nimport { createServer } from 'node:http'\nimport { buffer } from 'node:stream/consumers'",
    start: lambda,
    guess:
      "const app = express()\napp.use(express.json())\napp.post('/hooks', expressReceiver({ secrets, onEvent }))\nconst handler = serverless(app)",
  },
  'serverless-express': {
    imports:
      "import express from 'express'\nimport serverlessExpress from '@codegenie/serverless-express'\nimport { createServer } from 'node:http'\nimport { buffer } from 'node:stream/consumers'",
    start: lambda,
    guess:
      "const app = express()\napp.use(express.json())\napp.post('/hooks', expressReceiver({ secrets, onEvent }))\nconst handler = serverlessExpress({ app })",
  },
  micro: {
    imports: "import { json, serve } from 'micro'\nimport { createServer } from 'node:http'",
    start: "createServer(app).listen(port, '127.0.0.1', up)",
    guess:
      'const hooks = expressReceiver({ secrets, onEvent })\nconst app = serve(async (request, response) => {\n  await json(request)\n  await hooks(request, response)\n})',
  },
}

const secret = newSecret()

/** What stands before every block: what it names. */
const head = (imports, port) =>
  `${imports}\nimport { expressReceiver, fastifyReceiver, fetchReceiver, honoReceiver } from 'dlv-cli/webhooks'\nconst [secrets, port] = [process.env.SECRET, ${port}]\nconst newest = new Map()\nconst onEvent = ({ occurredAt, delivery: { deliveryId } }) => {\n  if (occurredAt < (newest.get(deliveryId) ?? '')) return 'outdated'\n  newest.set(deliveryId, occurredAt)\n}\nconst up = () => console.log('up')\n`

/** The block of the page. */
const blockOf = (name) => new RegExp(`\`\`\`js ${name}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

const test = (port, path) => testReceiver({ url: `http://127.0.0.1:${port}${path}`, secret, responseTimeoutMs: 3_000 })

/** Starts an app and examines it; what it printed beside the report. */
async function examine(name, text) {
  const { imports, start } = frameworks[name]
  const port = await freePort()
  const file = join(folder, `${name}-${port}.js`)
  writeFileSync(file, `${head(imports, port)}${text}\n${start}\n`)
  const child = spawn(process.execPath, [file], { env: { ...process.env, SECRET: secret, PORT: String(port) } })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  const lines = createInterface({ input: child.stdout })
  const isUp = Promise.race([once(lines, 'line').then(() => true), once(child, 'exit').then(() => false)])
  if (!(await isUp)) return { report: undefined, said }
  const report = await test(port, '/hooks')
  child.kill('SIGKILL')
  return { report, said }
}

const isNamed =
  /before it (?:was|could be) verified|read the body|without a Request|called with something else|accepts a signature with a mistake|Nothing is routed/

const table = {}
let isGood = true

function note(name, documented, guessed) {
  const reasons = guessed.report?.brokenRules.map(({ reason }) => reason).join(' ') ?? ''
  const works = guessed.report?.passed === true
  const shown =
    documented.report?.brokenRules.map(({ rule, reason }) => `${rule}: ${reason}`).join('; ') ?? documented.said
  const named = isNamed.test(reasons) ? 'by the test' : isNamed.test(guessed.said) ? 'in its log' : 'no'
  table[name] = {
    'as documented': documented.report?.passed ? 'passes' : 'fails',
    'as one would guess': works ? 'passes' : 'fails',
    'wrong app is named': works ? '' : named,
  }
  if (!documented.report?.passed) console.error(`${name}: ${shown.slice(0, 1_000)}`)
  if (!works && named === 'no')
    console.error(`${name}, as guessed: ${reasons.slice(0, 600)} ${guessed.said.slice(0, 300)}`)
  isGood &&= documented.report?.passed === true && (works || named !== 'no')
}

const isWanted = (name) => only === undefined || only === name
for (const [name, { guess }] of Object.entries(frameworks))
  if (isWanted(name)) note(name, await examine(name, blockOf(name)), await examine(name, guess))
for (const [site, { routes }] of Object.entries(sites).filter(([name]) => isWanted(name))) {
  const port = await freePort()
  const textOf = (route, text = blockOf(route)) => `${head('', port)}${text}\n`
  const env = { SECRET: secret, PORT: String(port), HOST: '127.0.0.1' }
  const child = await startSite(site, { folder, port, env, textOf })
  for (const [route, { path }] of Object.entries(routes)) {
    const [documented, guessed] = [await test(port, path('hooks')), await test(port, path('guess'))]
    note(route, { report: documented, said: child.said }, { report: guessed, said: child.said })
  }
  child.kill('SIGKILL')
}
console.table(table)
if (!isGood) process.exitCode = 1
