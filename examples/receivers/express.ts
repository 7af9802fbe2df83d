import { expressReceiver } from 'dlv-cli/webhooks'
import express from 'express'
import { takeOver } from './orders.ts'

export const app = express()

// Before express.json(): the receiver needs the bytes as they came.
app.post('/hooks', expressReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '', onEvent: takeOver }))

app.use(express.json())
