import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type CountryMap, countryMapShape, installationMarks } from '../../../../drawings/country-map.js'
import type { InstallationSummary } from '../../../wire/installations.js'
import { setQuery } from '../../state/router.js'
import { CountryToCome, Drawing } from '../pieces.js'

interface InstallationMapProps {
  installations: readonly InstallationSummary[]
  selected: string
}

/** The country with its installations. Its outline is a separate file, loaded by the first screen that shows it. */
export function InstallationMap({ installations, selected }: InstallationMapProps) {
  const frame = useRef<HTMLElement>(null)
  const [map, setMap] = useState<CountryMap | undefined>(undefined)
  useEffect(() => {
    void import('../../../../drawings/country-map.generated.js').then(({ countryMap }) => setMap(countryMap))
  }, [])
  // A pointer opens a mark; the list beside the map has a link for each, which the keyboard reaches.
  useEffect(() => {
    const figure = frame.current
    figure?.addEventListener('click', openMark)
    return () => figure?.removeEventListener('click', openMark)
  }, [])
  const marks = useMemo(() => (map === undefined ? [] : installationMarks(map, installations)), [map, installations])
  const missing = installations.length - marks.length
  return (
    <figure class="country-frame" ref={frame}>
      {map === undefined ? <CountryToCome /> : <Drawing shape={countryMapShape(map, marks, { selected })} />}
      <figcaption class="dim">
        Full: accepts deliveries. Hollow: closed.
        {map !== undefined && missing > 0 ? ` ${missing} are not on the map: their place is not known.` : ''}
      </figcaption>
    </figure>
  )
}

function openMark({ target }: Event): void {
  const code = target instanceof Element ? target.closest('[data-code]')?.getAttribute('data-code') : undefined
  if (typeof code === 'string') setQuery({ code })
}
