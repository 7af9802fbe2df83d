import { useEffect, useMemo, useState } from 'preact/hooks'
import { type CountryMap, countryMapShape, installationMarks } from '../../../drawings/country-map.js'
import type { InstallationSummary } from '../../wire/installations.js'
import { addressOf, place } from '../state/router.js'
import { Drawing } from './drawing.js'

interface InstallationMapProps {
  installations: readonly InstallationSummary[]
  selected: string
}

/** The country with its installations. Its outline is a file of its own, read by the first screen that shows it. */
export function InstallationMap({ installations, selected }: InstallationMapProps) {
  const [map, setMap] = useState<CountryMap | undefined>(undefined)
  useEffect(() => {
    void import('../../../drawings/country-map.generated.js').then(({ countryMap }) => setMap(countryMap))
  }, [])
  const marks = useMemo(() => (map === undefined ? [] : installationMarks(map, installations)), [map, installations])
  const search = place.value.query.get('q') ?? ''
  const missing = installations.length - marks.length
  return (
    <figure class="country-frame">
      {map !== undefined && (
        <Drawing
          shape={countryMapShape(map, marks, {
            selected,
            hrefOf: (code) => addressOf('/installations', { q: search, code }),
          })}
        />
      )}
      <figcaption class="dim">
        Full: accepts deliveries. Hollow: closed.
        {map !== undefined && missing > 0 ? ` ${missing} are not on the map: their place is not known.` : ''}
      </figcaption>
    </figure>
  )
}
