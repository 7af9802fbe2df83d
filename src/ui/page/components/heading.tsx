import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

interface HeadingProps {
  title: string
  /** The title as it is shown, if it may be broken. */
  shown?: ComponentChildren
  children?: ComponentChildren
}

/** The heading of a screen, which is also the title of the tab; `children` are its actions. */
export function Heading({ title, shown = title, children }: HeadingProps) {
  useLayoutEffect(() => {
    document.title = `${title} · dlv`
  }, [title])
  return (
    <div class="heading">
      <h1>{shown}</h1>
      {children}
    </div>
  )
}

/** Stands where a heading will be, as long as its words are not known. */
export function HeadingToCome() {
  return (
    <div class="heading">
      <span class="to-come" aria-hidden="true" />
    </div>
  )
}
