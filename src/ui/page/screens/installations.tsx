import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { InstallationSummary } from '../../wire/installations.js'
import { hasWords } from '../../wire/list.js'
import { OfAccount, useAccount } from '../components/account.js'
import { AccountField, oneAccount } from '../components/account-fields.js'
import { SearchField } from '../components/fields.js'
import { useLoaded, useReloads } from '../components/hooks.js'
import { InstallationCard, InstallationMap } from '../components/installation/card.js'
import { PolicyChanges } from '../components/installation/changes.js'
import { Empty, Heading, OutcomeBadge, Unread } from '../components/pieces.js'
import { count, words } from '../models/text.js'
import { addKeys } from '../state/keys.js'
import { addressOf, place, setQuery } from '../state/router.js'

export function InstallationsScreen() {
  const { query } = place.value
  const isChanges = query.get('view') === 'changes'
  const account = oneAccount()
  const views = [
    ['', 'Map'],
    ['changes', 'Policy changes'],
  ] as const
  useLayoutEffect(
    () =>
      addKeys([
        {
          key: 'v',
          words: isChanges ? 'Show the map' : 'Show the policy changes',
          run: () => setQuery({ view: isChanges ? '' : 'changes' }),
        },
      ]),
    [isChanges],
  )
  return (
    <>
      <Heading title="Installations" />
      <div class="filters">
        <SearchField
          placeholder={isChanges ? 'Installation, order, event' : 'Code, name, state, branch'}
          words="Search the installations"
        />
        <AccountField isOne={!isChanges} />
        <nav class="views" aria-label="Views">
          {views.map(([view, name]) => (
            <a
              key={name}
              href={addressOf('/installations', { ...Object.fromEntries(query), view })}
              aria-current={isChanges === (view !== '')}
            >
              {name}
            </a>
          ))}
        </nav>
      </div>
      {isChanges ? (
        <PolicyChanges />
      ) : (
        <OfAccount name={account}>
          <Country key={account} />
        </OfAccount>
      )}
    </>
  )
}

/** The map and the list of all installations, and the one that is chosen. */
function Country() {
  const card = useRef<HTMLDivElement>(null)
  const account = useAccount()
  const { query } = place.value
  const [text, code] = [query.get('q') ?? '', query.get('code') ?? '']
  const { value: all, reload } = useLoaded(
    () => account.get<{ installations: InstallationSummary[] }>('/installations'),
    [],
  )
  useReloads(reload, ({ title }) => title === 'installation.access_policy_changed')
  // Where the screen is narrow, the card lies below the map.
  useEffect(() => {
    if (code !== '' && matchMedia('(max-width: 1000px)').matches) card.current?.scrollIntoView()
  }, [code, all === undefined])
  const found = useMemo(
    () =>
      (all?.installations ?? []).filter((one) =>
        hasWords([one.code, one.name, one.branch, one.state, one.accessLevel].join(' '), text),
      ),
    [all, text],
  )
  if (all === undefined) return <Unread what="the installations" isQuiet />
  if (all.installations.length === 0) return <Empty title="The service lists no installations." />
  return (
    <div class="country-screen">
      <InstallationMap installations={found} selected={code} />
      <div class="list">
        <p class="dim">{count(found.length, 'installation')}</p>
        <List installations={found} selected={code} search={text} />
      </div>
      <div class="stack open" ref={card}>
        {code === '' ? (
          <Empty title="Choose an installation.">
            <p>On the map or in the list: its gates, rules and policy are shown here.</p>
          </Empty>
        ) : (
          <InstallationCard key={code} code={code} />
        )}
      </div>
    </div>
  )
}

interface ListProps {
  installations: readonly InstallationSummary[]
  selected: string
  search: string
}

function List({ installations, selected, search }: ListProps) {
  const account = useAccount()
  if (installations.length === 0) return <p class="dim">No installation matches.</p>
  return (
    <ul class="installations">
      {installations.map(({ code, name, state, branch, acceptingDeliveries }) => (
        <li key={code}>
          <a
            class="card"
            href={account.addressOf('/installations', { q: search, code })}
            aria-current={code === selected ? 'true' : undefined}
          >
            <span class="card-line">
              <span class="reference">{code}</span>
              {acceptingDeliveries === false ? (
                <OutcomeBadge outcome="bad">closed</OutcomeBadge>
              ) : (
                <span class="dim">{[words(branch), state].filter((part) => part !== '').join(' · ')}</span>
              )}
            </span>
            <span class="name dim" title={name}>
              {name}
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}
