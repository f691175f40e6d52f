import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { Flight } from "#src/mesh/shared-runs/model.ts"
import { ExportRange, LineForm } from "./model.ts"

const ExportAsked = Schema.Struct({
  flight: Flight,
  range: ExportRange,
  form: LineForm,
  /** Whether somebody may ask for the very same again. */
  isRepeatable: Schema.Boolean,
})
export type ExportAsked = typeof ExportAsked.Type

/** Walks through a wallet's trades for whoever waits for them. */
export const TradesExport = Job.make({
  name: "trades-export",
  payload: ExportAsked,
  key: ({ flight }) => flight.id,
  defaults: { concurrency: 4, budget: "10 minutes", attempts: 3, backoff: ["500 millis", "2 seconds"] },
})
