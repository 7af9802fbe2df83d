import { Fragment } from 'preact'

/** A name of the wire, such as `delivery.driver_at_pickup`, which may be broken after its dots and underscores. */
export function Breakable({ text }: { text: string }) {
  const [first = '', ...rest] = text.split(/(?<=[._])/)
  return (
    <>
      {first}
      {rest.map((part, index) => (
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  )
}
