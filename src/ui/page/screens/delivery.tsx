import type { DeliveryDetail } from '../../wire/deliveries.js'
import { Heading } from '../components/heading.js'
import { Empty, StatusBadge } from '../components/pieces.js'
import { useLoaded } from '../components/use-loaded.js'
import { get } from '../state/api.js'

export function DeliveryScreen({ id }: { id: string }) {
  const { value: detail, isMissing } = useLoaded(
    () => get<DeliveryDetail>(`/deliveries/${encodeURIComponent(id)}`),
    [id],
  )
  if (isMissing)
    return (
      <>
        <Heading title={id} />
        <Empty title="This delivery does not exist." />
      </>
    )
  if (detail === undefined) return <Heading title={id} />
  const { delivery } = detail
  return (
    <Heading title={delivery.clientOrderReference ?? delivery.deliveryId}>
      <StatusBadge status={delivery.status} />
    </Heading>
  )
}
