import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { accountFlagsOf, onAccount } from '../../src/shared/command-words.js'

const on = (text: string) => onAccount(text, accountFlagsOf({ profile: 'prod' }))

describe('Commands of a text', () => {
  it.each([
    ['Next: dlv deliveries get --ref ORDER-1', 'Next: dlv deliveries get --ref ORDER-1 -P prod'],
    ['dlv events list shows the events.', 'dlv events list -P prod shows the events.'],
    ['Run dlv doctor.', 'Run dlv doctor -P prod.'],
    [
      'dlv webhooks gaps -o csv -q | dlv events replay -',
      'dlv webhooks gaps -o csv -q -P prod | dlv events replay - -P prod',
    ],
    [
      'dlv deliveries list --columns status --all for all',
      'dlv deliveries list --columns status --all -P prod for all',
    ],
    ['Only with a valid key. Next: dlv profiles show', 'Only with a valid key. Next: dlv profiles show -P prod'],
    [
      'Unlock it (dlv simulate del_1 --to delivered), or see dlv deliveries list --from 1h: all.',
      'Unlock it (dlv simulate del_1 --to delivered -P prod), or see dlv deliveries list --from 1h -P prod: all.',
    ],
    [
      'dlv webhooks gaps -q | dlv events replay - --to http://127.0.0.1:1/',
      'dlv webhooks gaps -q -P prod | dlv events replay - --to http://127.0.0.1:1/ -P prod',
    ],
    [
      'dlv deliveries update del_1 --set dropoff.instructions="Ring twice"',
      'dlv deliveries update del_1 --set dropoff.instructions="Ring twice" -P prod',
    ],
  ])('get the flags of the account: %s', (text, expected) => {
    expect(on(text)).toBe(expected)
    expect(on(expected)).toBe(expected)
    expect(onAccount(text, '')).toBe(text)
  })

  it.each([
    'Choose a profile: dlv profiles list',
    'dlv explain no_quote',
    'dlv deliveries template > order.json',
    'DLV_BASE_URL=http://127.0.0.1:1/v1 dlv deliveries list',
    'Use the embedded one: dlv sandbox status -P local',
    'dlv deliveries get --help',
    'A database of dlv is damaged.',
  ])('stay as they are if they use no account, or choose one: %s', (text) => {
    expect(on(text)).toBe(text)
  })

  it('are quoted for a shell', () => {
    expect(onAccount('dlv health', accountFlagsOf({ 'base-url': 'http://a/$(id)' }))).toBe(
      "dlv health --base-url 'http://a/$(id)'",
    )
  })
})

describe('Every command of the program', () => {
  const { commands } = JSON.parse(readFileSync('oclif.manifest.json', 'utf8')) as {
    commands: Record<string, { hidden?: boolean; aliases: string[] }>
  }
  /** Commands that use no account. */
  const local =
    /^(?:agent|alias|profiles)\b|^(?:completion|explain|openapi|tour|deliveries (?:template|results)|sandbox (?:start|play|magic|accounts (?:add|list|remove)))$/

  it('gets the flags, or uses no account', () => {
    const names = Object.entries(commands).flatMap(([id, { hidden, aliases }]) =>
      hidden ? [] : [id, ...aliases].map((name) => name.replaceAll(':', ' ')),
    )
    const without = names.filter((name) => on(`dlv ${name}`) !== `dlv ${name} -P prod`)
    expect(without.filter((name) => !local.test(name))).toEqual([])
  })

  it('is written on the page by the function that knows its account', () => {
    const literal = globSync('src/ui/page/**/*.{ts,tsx}').flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        // A page without a session has no account.
        .filter((line) => on(line) !== line && !line.includes('<code>dlv ui</code>')),
    )
    expect(literal).toEqual([])
  })

  it('is recommended so that its end is found, wherever the source names one', () => {
    const texts = globSync('src/**/*.ts').flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && !line.includes('summary'))
        .flatMap((line) => [...line.matchAll(/'([^']*\bdlv [a-z][^']*)'|`([^`]*\bdlv [a-z][^`]*)`/g)])
        .map(([, plain, template]) => plain ?? template?.replace(/\$\{[^}]*\}/g, 'VALUE_1') ?? ''),
    )
    expect(texts.length).toBeGreaterThan(100)
    // A flag of the command that comes after the account's flags would show that its arguments were cut short.
    const cut = texts.map(on).filter((text) => /-P prod (?:--?[a-z]|[A-Z_]{2,}\b|VALUE_1|del_|evt_)/.test(text))
    expect(cut).toEqual([])
  })
})
