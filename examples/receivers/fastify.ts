import { fastifyReceiver } from 'dlv-cli/webhooks'
import fastify from 'fastify'
import { applyEvent } from './orders.ts'

export const app = fastify()

// Only this path gets the raw body; every other route keeps its parsers.
app.register(fastifyReceiver({ path: '/hooks', secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: applyEvent }))
