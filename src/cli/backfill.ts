import { Effect, Layer } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { type FillGapsResult, fillGaps } from "#src/repair/fillGaps.ts"
import { clients, Stores } from "#src/roles/Foundation.ts"
import { ingestion } from "#src/roles/Ingestion.ts"
import { externalSimulator } from "#src/roles/SimulatorChild.ts"
import { json, set } from "./configured.ts"
import { patient } from "./patient.ts"
import { print, printJson } from "./print.ts"
import { withProgressLine } from "./progressLine.ts"
import { countOf, sayDiffered } from "./rebuild.ts"

const block = (name: string, description: string) => Flag.Int(name).pipe(Flag.withDescription(description))

const say = ({ from, to, added, rebuilt }: FillGapsResult): string => {
  const kinds = Object.entries(added).filter(([, count]) => count > 0)
  const facts = kinds.map(([kind, count]) => `${kind} ${count.toLocaleString("en")}`).join(", ")
  const where = `blocks ${from} to ${to}`
  const found = kinds.length === 0 ? `nothing was missing in ${where}` : `added to ${where}: ${facts}`
  if (rebuilt === undefined) return `${found}; positions stay as they are`
  return `${found}; then computed ${countOf(rebuilt.positions, "positions")} anew, ${sayDiffered(rebuilt)}`
}

const chain = ingestion.pipe(
  Layer.provideMerge(EventLog.layer),
  Layer.provideMerge(clients),
  Layer.provideMerge(externalSimulator),
)

export const backfill = Command.make(
  "backfill",
  {
    from: block("from", "First block to read again"),
    to: block("to", "Last block to read again; it must be too old to be replaced"),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* Stores
      yield* migrate(databaseUrl, migrations)
      const filled = yield* withProgressLine((show) =>
        fillGaps({
          from: flags.from,
          to: flags.to,
          onRead: show("reading the chain"),
          onRebuilt: show("computing positions"),
        }).pipe(Effect.provide(chain)),
      )
      if (!flags.json) return yield* print(say(filled))
      const { from, to, added, rebuilt } = filled
      yield* printJson({ from, to, facts: added, positions_rebuilt: rebuilt !== undefined })
    }).pipe(Effect.provide(Stores.briefLayer.pipe(Layer.provideMerge(patient(flags.set))))),
).pipe(
  Command.withDescription(
    "Read blocks of the chain again and write what the ledger lacks of them, all or nothing, also while the service runs",
  ),
  Command.withExamples([
    { command: "presage backfill --from 70000000 --to 70010000", description: "Mend what these blocks should have" },
  ]),
)
