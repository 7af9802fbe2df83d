import { z } from 'zod'
import { limits } from '../../contract/index.js'
import { accounts } from '../core/accounts.js'
import { Refusal } from '../core/refusal.js'
import { accountNamed, accountsOf, addAccount, isAdded, removeAccount } from '../engine/accounts.js'
import { secretsOf } from '../engine/engine.js'
import { schemaRefusal } from '../http/json-body.js'
import type { Account } from '../model.js'
import type { Store } from '../store/store.js'
import { ControlAnswer, type ControlCall, type ControlContext, type ControlRoutes } from './control-route.js'

/** The account that a call is about: its key, its id or its short name; the default account if absent. */
export function accountChoice(store: Store) {
  return {
    account: z
      .string()
      .optional()
      .transform((name, context): Account => {
        const found = name === undefined ? accounts[0] : accountNamed(store, name)
        if (found !== undefined) return found
        context.addIssue({ code: 'custom', message: mustBe(store) })
        return z.NEVER
      }),
  }
}

/** The id of the account that a call with `?account=` is limited to. @throws Refusal for a name that is no account */
export function accountLimit(store: Store, call: ControlCall): string | undefined {
  const name = call.query.get('account')
  return name === null ? undefined : accountAsNamed(store, name).accountId
}

/** @throws Refusal for a name that is no account of the sandbox */
export function accountAsNamed(store: Store, name: string): Account {
  const found = accountNamed(store, name)
  if (found !== undefined) return found
  throw schemaRefusal([{ field: 'accountId', code: 'INVALID_VALUE', message: mustBe(store) }])
}

const mustBe = (store: Store) => `must be an account of the sandbox: ${accountsOf(store).map(shortName).join(', ')}`

const shortName = ({ accountId }: Account) => accountId.replace('acc_', '')

const Addition = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, { error: 'must have 1 to 40 letters, digits, "-" or "_"' }),
  type: z.enum(['marketplace', 'owned_fleet']).default('marketplace'),
  requestsPerSecond: z.int().min(1).max(1_000_000).default(limits.defaultRequestsPerSecond),
})

/** Accounts beside those that every sandbox has. They see nothing of each other. */
export function accountRoutes({ engine }: ControlContext): ControlRoutes {
  const { store } = engine
  const viewOf = (account: Account) => ({
    name: shortName(account),
    accountId: account.accountId,
    type: account.accountType,
    requestsPerSecond: account.maxRequestsPerSecond,
    livemode: account.livemode,
    added: isAdded(store, account),
    apiKey: account.apiKey,
  })
  return {
    'GET /accounts': () => ({ accounts: accountsOf(store).map(viewOf) }),
    async 'POST /accounts'(call) {
      const { name, type, requestsPerSecond } = await call.body(Addition)
      const added = store.write(() => {
        const account = addAccount(store, {
          name,
          accountType: type,
          maxRequestsPerSecond: requestsPerSecond,
        })
        return { account, secret: secretsOf(store, account.accountId)[0] }
      })
      return new ControlAnswer(201, { ...viewOf(added.account), webhookSecret: added.secret })
    },
    'DELETE /accounts/{name}'(call) {
      const name = call.parameters.name ?? ''
      const account = accountNamed(store, name)
      if (account === undefined)
        throw new Refusal('NOT_FOUND', `No account "${name}" exists.`, { details: { account: name } })
      if (!store.write(() => removeAccount(store, shortName(account))))
        throw new Refusal('VALIDATION_ERROR', `Every sandbox has the account "${name}"; it cannot be removed.`)
      return { removed: shortName(account) }
    },
  }
}
