import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { SharedRun } from "#src/mesh/shared-runs/model.ts"
import { ExportRange, LineForm } from "./model.ts"

const ExportAsked = Schema.Struct({
  run: SharedRun,
  range: ExportRange,
  form: LineForm,
  /** Whether the same request can be made again. */
  isRepeatable: Schema.Boolean,
})
export type ExportRequest = typeof ExportAsked.Type

/** Walks the trades of a wallet or a token for the clients that wait for them. */
export const TradesExport = Job.make({
  name: "trades-export",
  payload: ExportAsked,
  key: ({ run }) => run.id,
  defaults: { concurrency: 4, budget: "10 minutes", attempts: 3, backoff: ["500 millis", "2 seconds"] },
})
