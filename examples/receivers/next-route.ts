// app/hooks/route.ts in a Next.js app. Bun, Deno and workers take the same handler.
import { fetchReceiver } from 'dlv-cli/webhooks'
import { applyEvent } from './orders.ts'

// A function, asked for each request: `next build` imports this module where the secret is not set.
export const POST = fetchReceiver({ secrets: () => process.env.WEBHOOK_SECRET ?? '', onEvent: applyEvent })
