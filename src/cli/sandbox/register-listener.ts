import { ApiError } from '../../contract/index.js'
import type { Listener } from '../../listener/index.js'
import type { NamedSecret } from '../../webhooks/index.js'
import type { SandboxControl } from './control.js'

/** The cursor of the journal that records the registration, so that one left behind by a crash can be removed. */
const noteOf = (mark: string) => `sandbox-endpoint-${mark}`

/**
 * Registers a listener as an endpoint for an account's webhooks, the default account's unless `account` names another.
 * `mark` is what the listener keeps its events under. Without `secrets` they are signed with those of the account, also after a rotation. The returned function removes the
 * registration.
 */
export async function registerListener(
  control: SandboxControl,
  listener: Listener,
  secrets: readonly NamedSecret[] | undefined,
  account: string | undefined,
  mark: string,
): Promise<() => Promise<void>> {
  const note = noteOf(mark)
  const leftBehind = await listener.cursor(note, mark)
  const registration = {
    url: listener.url,
    kind: 'all',
    secrets: secrets?.map(({ secret }) => secret),
    allowWeakSecrets: secrets?.some(({ allowWeak }) => allowWeak),
    account,
  }
  const { id } = (await control('POST', '/endpoints', registration)) as { id: string }
  if (leftBehind !== undefined && leftBehind !== id) await remove(control, leftBehind)
  await listener.setCursor(note, id, false, mark)
  return () => remove(control, id)
}

async function remove(control: SandboxControl, id: string): Promise<void> {
  try {
    await control('DELETE', `/endpoints/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return // reset or removed by hand since
    throw error
  }
}
