import type { Route } from './route.js'
import { deliveryRoutes } from './routes/deliveries.js'
import { eventRoutes } from './routes/events.js'
import { installationRoutes } from './routes/installations.js'
import { liveRoutes, reportRoutes, sessionRoutes, timeRoutes } from './routes/session.js'
import { webhookRoutes } from './routes/webhooks.js'

/** Every route below `/ui/api`, one file per topic. */
export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...liveRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...installationRoutes,
  ...timeRoutes,
  ...reportRoutes,
]
