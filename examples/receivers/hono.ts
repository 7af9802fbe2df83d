import { honoReceiver } from 'dlv-cli/webhooks'
import { Hono } from 'hono'
import { applyEvent } from './orders.ts'

export const app = new Hono()

app.post('/hooks', honoReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: applyEvent }))
