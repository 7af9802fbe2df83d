/** What most integrators use: Express, the raw body and the svix verifier. Stores nothing. */
import { createRequire } from 'node:module'
import { Webhook } from 'svix'

const express = createRequire(`${process.env.DLV_BENCH_APP}/package.json`)('express')
const webhook = new Webhook(process.env.DLV_WEBHOOK_SECRET)
const app = express()
app.post('/', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
  try {
    webhook.verify(request.body, request.headers)
    response.status(204).end()
  } catch {
    response.status(400).end()
  }
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
