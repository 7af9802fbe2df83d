import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** The heading of a screen, which is also the title of the tab; `children` are its actions. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }) {
  useLayoutEffect(() => {
    document.title = `${title} · dlv`
  }, [title])
  return (
    <div class="heading">
      <h1>{title}</h1>
      {children}
    </div>
  )
}
