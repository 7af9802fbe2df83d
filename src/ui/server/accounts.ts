import { ApiError, ConnectionError } from '../../contract/index.js'
import type { ListenerRecord } from '../../listener/index.js'
import { DeliveryIndex } from './feed/delivery-index.js'
import type { Feed } from './feed/feed.js'
import { listenerItem } from './feed/items.js'
import { Refused, type Route, type RouteCall, type RouteContext } from './route.js'

type Asked = Pick<RouteCall, 'parameters' | 'query' | 'body'>

/** The accounts of a page: requests are answered by the one that they name, and what is only read by the one that has it. */
export class PageAccounts {
  constructor(readonly all: readonly RouteContext[]) {}

  /** Whether the page says of everything whose it is. */
  get areSeveral(): boolean {
    return this.all[0]?.account !== undefined
  }

  /** Answers a request, of several accounts with the name of the one that answers. */
  async answer(route: Route, asked: Asked): Promise<unknown> {
    const [first] = this.all
    if (!this.areSeveral && first !== undefined) return this.answerOf(first, route, asked)
    const name = asked.query.get('account') ?? ''
    if (name !== '') return this.answerNamed(name, route, asked)
    if (route.handleAll !== undefined) return route.handleAll(this.all.map((context) => ({ ...context, ...asked })))
    if (route.method === 'GET' && /:(?:delivery|event)Id/.test(route.path)) return this.answerOwner(route, asked)
    throw new Refused(
      400,
      'NO_ACCOUNT',
      `Several accounts are shown (${this.names}), and none is named.${route.method === 'POST' ? ' Nothing was sent.' : ''}`,
      'Name one: ?account=NAME',
    )
  }

  /** The beginning of commands for an account. */
  commandFor(account: string | undefined): string {
    const found = this.all.find((one) => one.account === account) ?? (this.areSeveral ? undefined : this.all[0])
    return found?.backend.command ?? 'dlv'
  }

  /** Shows what a listener reports; what is about no account, such as a forged webhook, as nobody's. */
  see({ profile, ...record }: ListenerRecord & { profile?: string }, feed: Feed): void {
    const own = this.areSeveral ? this.all.find(({ account }) => account === profile) : this.all[0]
    const nobody = { feed, deliveries: new DeliveryIndex(() => ({})), backend: { nowMs: Date.now } }
    const { feed: to, deliveries, backend } = own ?? nobody
    const item = listenerItem(record as ListenerRecord, deliveries, backend.nowMs())
    if (item !== undefined) to.push([item])
  }

  private get names(): string {
    return this.all.map(({ account }) => account).join(', ')
  }

  private async answerNamed(name: string, route: Route, asked: Asked): Promise<unknown> {
    const context = this.all.find(({ account }) => account === name)
    if (context === undefined)
      throw new Refused(404, 'NO_SUCH_ACCOUNT', `The page shows no account "${name.slice(0, 80)}".`, this.names)
    const value = await this.answerOf(context, route, asked)
    return value instanceof Blob ? value : { ...(value as object | undefined), account: name }
  }

  private async answerOf(context: RouteContext, route: Route, asked: Asked): Promise<unknown> {
    const isPost = route.method === 'POST'
    if (isPost && context.backend.readOnly)
      throw new Refused(
        403,
        'READ_ONLY',
        context.account === undefined
          ? 'This account is production, so the page is read-only.'
          : `${context.account} is production, so it is only read.`,
      )
    const value = await route.handle({ ...context, ...asked })
    if (isPost) await context.look()
    return value
  }

  /** Asks each account for what is named by its id alone. */
  private async answerOwner(route: Route, asked: Asked): Promise<unknown> {
    const all = this.all.map(async ({ account = '' }) => ({
      account,
      value: await this.answerNamed(account, route, asked),
    }))
    const settled = await Promise.allSettled(all)
    const found = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const [owner, ...others] = found
    if (owner !== undefined && others.length === 0) return owner.value
    if (owner !== undefined)
      throw new Refused(
        409,
        'AMBIGUOUS',
        `Several accounts have it: ${found.map(({ account }) => account).join(', ')}.`,
        'Name one: ?account=NAME',
      )
    const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    throw failures.find((failure) => !isMissing(failure)) ?? failures[0]
  }
}

/** Whether an account has answered that it has no such thing. */
function isMissing(failure: unknown): boolean {
  const { status } = failure instanceof ApiError || failure instanceof Refused ? failure : { status: undefined }
  return status === 404 || (failure instanceof ConnectionError && failure.status === 404)
}
