import { Schema } from "effect"
import { grouped } from "#src/feed/grouped.ts"
import type { Received } from "./receiver.ts"
import { headerOf } from "./verifier.ts"

const Envelope = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  ),
  type: Schema.String,
  created_at: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/)),
  data: Schema.Record(Schema.String, Schema.Unknown),
})
export type Envelope = typeof Envelope.Type

/** What a delivery says; throws where it is not as promised. */
export const envelopeOf = ({ body }: Received): Envelope =>
  Schema.decodeUnknownSync(Envelope, { onExcessProperty: "error" })(JSON.parse(body.toString("utf8")))

const webhookOf = (received: Received) => headerOf(received, "x-webhook-id")

/** What came, by webhook and event: whatever came more than once is under one key. */
export const byDelivery = (received: ReadonlyArray<Received>): ReadonlyMap<string, ReadonlyArray<Received>> =>
  grouped(received, (each) => `${webhookOf(each)} ${envelopeOf(each).id}`)

/** How much came and how often; `differing` are those whose second coming was not the same to the byte. */
export const ledgerOf = (received: ReadonlyArray<Received>) => {
  const deliveries = byDelivery(received)
  const differing = [...deliveries].filter(([, times]) =>
    times.some(({ body }) => times[0] !== undefined && !body.equals(times[0].body)),
  )
  return {
    distinct: deliveries.size,
    duplicates: received.length - deliveries.size,
    differing: differing.map(([key]) => key),
  }
}
