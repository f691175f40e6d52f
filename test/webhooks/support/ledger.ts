import { Schema } from "effect"
import type { Received } from "./receiver.ts"
import { headerOf } from "./verifier.ts"

const Envelope = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  ),
  type: Schema.String,
  created_at: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/)),
  data: Schema.Record(Schema.String, Schema.Unknown),
  confirmations: Schema.optionalKey(Schema.Literals([0, 3, "finalized"])),
})
export type Envelope = typeof Envelope.Type

/** The content of a delivery; throws if it is invalid. */
export const envelopeOf = ({ body }: Received): Envelope =>
  Schema.decodeUnknownSync(Envelope, { onExcessProperty: "error" })(JSON.parse(body.toString("utf8")))

const webhookOf = (received: Received) => headerOf(received, "x-webhook-id")

/** Received deliveries by webhook and event. */
export const byDelivery = (received: ReadonlyArray<Received>): ReadonlyMap<string, ReadonlyArray<Received>> =>
  Map.groupBy(received, (each) => `${webhookOf(each)} ${envelopeOf(each).id}`)

/** Counts of deliveries and duplicates; `differing` are duplicates with other bytes. */
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
