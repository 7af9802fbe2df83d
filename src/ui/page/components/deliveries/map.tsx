import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CountryMap } from '../../../../drawings/country-map.js'
import { countryPoint, marketShape, marketsShape } from '../../../../drawings/market-map.js'
import type { DeliverySummary } from '../../../wire/live.js'
import { drawnDeliveries, type MarketGroup, marketsOf } from '../../models/board.js'
import { count } from '../../models/text.js'
import { loadTrails, trailOf } from '../../state/deliveries.js'
import { addressOf, place, setQuery } from '../../state/router.js'
import { nowOf } from '../../state/session.js'
import { OfAccount, useAccount } from '../account.js'
import { AccountBadge } from '../account-fields.js'
import { useEverySecond, useWidth } from '../hooks.js'
import { CountryToCome, Drawing, Empty, StandingBadges } from '../pieces.js'

/** Where everything is: the country with its markets, and the market that is open. */
export function DeliveriesMap({ found }: { found: readonly DeliverySummary[] }) {
  const shown = useEverySecond(found)
  const markets = useMemo(() => marketsOf(shown, nowOf), [shown])
  const { query } = place.value
  const open = markets.find(({ key }) => key === query.get('market'))
  if (markets.length === 0) return <Empty title="Nothing is under way." />
  return (
    <div class="map-view">
      {open === undefined ? (
        <Country markets={markets} />
      ) : (
        <OfAccount name={open.account}>
          <OpenMarket key={open.key} market={open} />
        </OfAccount>
      )}
    </div>
  )
}

/** The address of the map with a market, or without one, and the filters as they are. */
function mapAddress(market: string): string {
  return addressOf('/deliveries', { ...Object.fromEntries(place.value.query), market })
}

function Country({ markets }: { markets: readonly MarketGroup[] }) {
  const [map, setMap] = useState<CountryMap | undefined>(undefined)
  const [frame, width] = useWidth<HTMLElement>()
  useEffect(() => {
    void import('../../../../drawings/country-map.generated.js').then(({ countryMap }) => setMap(countryMap))
  }, [])
  // A pointer opens a circle; the list beside the map has a link for each, which the keyboard reaches.
  useEffect(() => {
    const openMarket = ({ target }: Event) => {
      const key = target instanceof Element ? target.closest('[data-code]')?.getAttribute('data-code') : undefined
      if (typeof key === 'string') setQuery({ market: key })
    }
    frame.current?.addEventListener('click', openMarket)
  }, [])
  // A circle is named as it is opened: two accounts may have a store of one name.
  const placed = markets.flatMap(({ at, key, ...market }) => (at === undefined ? [] : [{ ...market, store: key, at }]))
  const missing = map === undefined ? 0 : markets.length - placed.filter(({ at }) => countryPoint(map, at)).length
  return (
    <>
      <figure class="country-frame" ref={frame}>
        {map === undefined || width === 0 ? <CountryToCome /> : <Drawing shape={marketsShape(map, placed, width)} />}
        <figcaption class="dim">
          A circle for each store, as large as what is under way; red is late or stuck.
          {missing > 0 && ` ${count(missing, 'market')} not on the map: the place is not known.`}
        </figcaption>
      </figure>
      <nav class="panel" aria-label="Markets">
        <ul class="entries">
          {markets.map((market) => (
            <li key={market.key}>
              <a href={mapAddress(market.key)}>
                <strong>{market.store}</strong> <AccountBadge name={market.account} />
                <span class="dim">{market.underWay} under way</span>
                {market.troubled > 0 && <span class="badge bad">{market.troubled} late or stuck</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

const proportion = 0.7
const highest = 640
const smallest = 260

function OpenMarket({ market }: { market: MarketGroup }) {
  const account = useAccount()
  const { store, at, isStore, underWay } = market
  const [lit, setLit] = useState<string | undefined>(undefined)
  const [frame, width] = useWidth<HTMLElement>()
  const [, setTrailsRead] = useState(false)
  useEffect(() => {
    // Without the ways up to now, the drivers are where they were last seen.
    loadTrails(store, account.name).then(
      () => setTrailsRead(true),
      () => {},
    )
  }, [store, account.name])
  const shown = Math.max(smallest, width)
  const size = { width: shown, height: Math.round(Math.min(highest, shown * proportion)), fontSize: 12.5 }
  useEffect(() => {
    const light = ({ target }: Event) => {
      const id = target instanceof Element ? target.closest('[data-id]')?.getAttribute('data-id') : undefined
      if (typeof id !== 'string') return
      setLit(id)
      document.getElementById(`trip-${id}`)?.scrollIntoView({ block: 'nearest' })
    }
    frame.current?.addEventListener('pointerover', light)
  }, [])
  return (
    <>
      <figure class="delivery-map" ref={frame}>
        {width > 0 && (
          <Drawing
            shape={marketShape(
              { name: store, at: isStore ? at : undefined },
              drawnDeliveries(market, trailOf),
              size,
              lit,
            )}
          />
        )}
        <figcaption class="dim">
          Drivers with their ways, and dropoffs at the centres of their ZIP codes; late or stuck ones are red.
        </figcaption>
      </figure>
      <section class="panel" aria-label={store}>
        <header>
          <h2>
            {store} <AccountBadge name={account.name} />
            <span class="dim">{underWay} under way</span>
          </h2>
          <a href={mapAddress('')}>All markets</a>
        </header>
        <ul class="entries">
          {market.deliveries.map(({ deliveryId, reference, status, problem, lateMs }) => (
            <li
              key={deliveryId}
              id={`trip-${deliveryId}`}
              class={deliveryId === lit ? 'lit' : undefined}
              onPointerEnter={() => setLit(deliveryId)}
            >
              <a href={account.addressOf(`/deliveries/${deliveryId}`)} onFocus={() => setLit(deliveryId)}>
                <span class="reference">{reference}</span>
                <StandingBadges status={status} problem={problem === '' ? undefined : { text: problem, lateMs }} />
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}
