import { expressReceiver } from 'dlv-cli/webhooks'
import express from 'express'
import { applyEvent } from './orders.ts'

export const app = express()

// Before express.json(), because the receiver needs the raw body.
app.post('/hooks', expressReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: applyEvent }))

app.use(express.json())
