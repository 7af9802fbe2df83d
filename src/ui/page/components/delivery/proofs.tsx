import { useEffect, useState } from 'preact/hooks'
import type { Delivery } from '../../../../contract/index.js'
import { words } from '../../models/text.js'
import { getBlob } from '../../state/api.js'
import { Moment, Panel } from '../pieces.js'

/** Images of the proof, which the server fetches: the page itself asks nobody else. */
export function Proofs({ delivery }: { delivery: Pick<Delivery, 'deliveryId' | 'proofOfDelivery'> }) {
  const proofs = delivery.proofOfDelivery ?? []
  if (proofs.length === 0) return null
  return (
    <Panel title="Proof of delivery">
      <div class="proofs panel-body">
        {proofs.map((proof, index) => (
          <figure key={`${proof.type} ${proof.capturedAt}`}>
            {proof.url != null && <ProofImage deliveryId={delivery.deliveryId} index={index} type={proof.type} />}
            <figcaption>
              {words(proof.type)} <Moment at={proof.capturedAt} />
            </figcaption>
          </figure>
        ))}
      </div>
    </Panel>
  )
}

function ProofImage({ deliveryId, index, type }: { deliveryId: string; index: number; type: string }) {
  const [source, setSource] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  useEffect(() => {
    let made: string | undefined
    let isGone = false
    getBlob(`/deliveries/${encodeURIComponent(deliveryId)}/proofs/${index}`).then(
      (blob) => {
        if (isGone) return
        made = URL.createObjectURL(blob)
        setSource(made)
      },
      (error: Error) => setProblem(error.message),
    )
    return () => {
      isGone = true
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [deliveryId, index])
  if (problem !== undefined) return <p class="dim">{problem}</p>
  return source === undefined ? <div class="proof-space" /> : <img src={source} alt={`Proof: ${words(type)}`} />
}
