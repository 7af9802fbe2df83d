import type { ComponentType } from 'preact'
import { DeliveriesScreen } from './deliveries.js'
import { DeliveryScreen } from './delivery.js'
import { EventScreen } from './event.js'
import { InstallationsScreen } from './installations.js'
import { LiveScreen } from './live.js'
import { ReportScreen } from './report.js'
import { TimeScreen } from './time.js'
import { WebhooksScreen } from './webhooks.js'

/** A screen with a link in the navigation. */
export interface Screen {
  path: string
  /** The link, and the heading of the screen. */
  name: string
  /** Pressed after `g`, it opens the screen. */
  key: string
  component: ComponentType
}

export const screens: readonly Screen[] = [
  { path: '/live', name: 'Live', key: 'l', component: LiveScreen },
  { path: '/deliveries', name: 'Deliveries', key: 'd', component: DeliveriesScreen },
  { path: '/webhooks', name: 'Webhooks', key: 'w', component: WebhooksScreen },
  { path: '/installations', name: 'Installations', key: 'i', component: InstallationsScreen },
  { path: '/time', name: 'Time and faults', key: 't', component: TimeScreen },
  { path: '/report', name: 'Report', key: 'r', component: ReportScreen },
]

/** The screens of single objects, by address; each gets the object's id. */
const details: readonly { path: string; within: string; component: ComponentType<{ id: string }> }[] = [
  { path: '/deliveries/', within: '/deliveries', component: DeliveryScreen },
  { path: '/events/', within: '/live', component: EventScreen },
]

export type Found =
  | { kind: 'screen'; screen: Screen }
  | { kind: 'detail'; within: string; id: string; component: ComponentType<{ id: string }> }

/** The screen of an address. */
export function screenAt(path: string): Found | undefined {
  const screen = screens.find((candidate) => candidate.path === (path === '/' ? '/live' : path.replace(/\/$/, '')))
  if (screen !== undefined) return { kind: 'screen', screen }
  const detail = details.find((candidate) => path.startsWith(candidate.path))
  if (detail === undefined) return undefined
  const id = decoded(path.slice(detail.path.length))
  return id === '' ? undefined : { kind: 'detail', within: detail.within, id, component: detail.component }
}

/** A part of a path, decoded; as it is if a `%` in it encodes nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
