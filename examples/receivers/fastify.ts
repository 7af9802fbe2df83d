import { fastifyReceiver } from 'dlv-cli/webhooks'
import fastify from 'fastify'
import { takeOver } from './orders.ts'

export const app = fastify()

// Only this path gets its body as bytes; every other route has the usual parsers.
app.register(fastifyReceiver({ path: '/hooks', secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: takeOver }))
