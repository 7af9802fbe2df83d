import { Heading } from '../components/heading.js'
import { Empty } from '../components/pieces.js'

export function WebhooksScreen() {
  return (
    <>
      <Heading title="Webhooks" />
      <Empty title="This screen shows nothing yet." />
    </>
  )
}
