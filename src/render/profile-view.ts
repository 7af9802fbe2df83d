import { card } from './cards.js'
import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, idOf, type View } from './view.js'
import { whenText } from './words.js'

/** A profile without its key and secrets. */
export interface ProfileRow {
  name: string
  current: boolean
  environment: string
  baseUrl: string | null
  apiKey: string
  webhookSecrets: number
}

/** The effective settings with their sources; keys and secrets are masked. */
export interface SettingsRow {
  profile: string
  environment: string
  baseUrl: string | null
  apiKey: string | null
  webhookSecrets: string[]
  output: string
  configFile: string
  dataDir: string
  sources: Record<string, string>
}

function environmentWord(environment: string, style: Style): string {
  return paint(
    style,
    environment === 'production' ? 'red' : environment === 'sandbox' ? 'yellow' : 'green',
    plainText(environment),
  )
}

const columns: View<ProfileRow>['columns'] = [
  {
    name: 'name',
    cell: cell<ProfileRow>(({ name, current }, style) =>
      current ? paint(style, 'bold', `* ${plainText(name)}`) : `  ${plainText(name)}`,
    ),
    header: '  NAME',
  },
  { name: 'environment', cell: cell<ProfileRow>(({ environment }, style) => environmentWord(environment, style)) },
  {
    name: 'baseUrl',
    header: 'BASE URL',
    elastic: true,
    cell: cell<ProfileRow>(({ baseUrl }) => plainText(baseUrl ?? 'embedded sandbox')),
  },
  { name: 'apiKey', header: 'KEY' },
  { name: 'webhookSecrets', header: 'SECRETS', align: 'right' },
]

/** A webhook secret of a profile, without the secret. */
export interface SecretRow {
  name: string
  fingerprint: string
  addedAt: string | null
  lastUsedAt: string | null
}

/** The webhook secrets of a profile. */
export const secretList: View<SecretRow[]> = {
  id: idOf('fingerprint'),
  empty: 'No secrets. Add one: dlv profiles secrets add NAME FILE',
  columns: [
    { name: 'name', elastic: true },
    { name: 'fingerprint', keep: true },
    { name: 'addedAt', header: 'ADDED', cell: cell<SecretRow>(({ addedAt }, style) => whenText(addedAt, style)) },
    {
      name: 'lastUsedAt',
      header: 'LAST USED',
      cell: cell<SecretRow>(({ lastUsedAt }, style) => whenText(lastUsedAt, style)),
    },
  ],
}

/** The profiles; the current one is marked. */
export const profileList: View<ProfileRow[]> = { id: idOf('name'), columns }

/** A profile after a change. */
export const profileView: View<ProfileRow> = {
  id: idOf('name'),
  columns,
  card: (profile, style) =>
    card(
      `${paint(style, 'bold', plainText(profile.name))}  ${environmentWord(profile.environment, style)}`,
      [
        ['Base URL', plainText(profile.baseUrl ?? 'embedded sandbox')],
        ['Key', plainText(profile.apiKey)],
        ['Secrets', String(profile.webhookSecrets)],
      ],
      style,
    ),
}

/** The effective settings and their sources. */
export const settingsView: View<SettingsRow> = {
  id: idOf('profile'),
  columns: [{ name: 'profile' }, { name: 'environment' }, { name: 'baseUrl' }],
  card(settings, style) {
    const line = (label: string, name: string, value: string): readonly [string, string] => {
      const source = plainText(settings.sources[name] ?? 'default')
      return [label, source === value ? value : `${value}  ${paint(style, 'dim', `from ${source}`)}`]
    }
    return card(
      `${paint(style, 'bold', plainText(settings.profile))}  ${environmentWord(settings.environment, style)}`,
      [
        line('Profile', 'profile', plainText(settings.profile)),
        line('Environment', 'environment', plainText(settings.environment)),
        line('Base URL', 'baseUrl', plainText(settings.baseUrl ?? 'embedded sandbox')),
        line('Key', 'apiKey', plainText(settings.apiKey ?? (settings.baseUrl === null ? 'embedded sandbox' : 'none'))),
        line(
          'Secrets',
          'webhookSecrets',
          settings.webhookSecrets.length === 0 ? 'none' : settings.webhookSecrets.map(plainText).join(', '),
        ),
        line('Output', 'output', plainText(settings.output)),
        ['Config file', plainText(settings.configFile)],
        ['Data directory', plainText(settings.dataDir)],
      ],
      style,
    )
  },
}
