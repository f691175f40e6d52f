import { Effect, Layer } from "effect"
import { Command } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { type RebuildResult, rebuildPositions } from "#src/repair/rebuild.ts"
import { clients, Stores } from "#src/roles/Foundation.ts"
import { json, set } from "./configured.ts"
import { patient } from "./patient.ts"
import { print, printJson } from "./print.ts"
import { withProgressLine } from "./progressLine.ts"

export const countOf = (count: number, what: string) => `${count.toLocaleString("en")} ${what}`

export const sayDiffered = ({ differed }: RebuildResult): string => {
  const { positions, realizedEvents, undo } = differed
  if (positions + realizedEvents + undo === 0) return "all were as they should be"
  return `different before: ${[
    countOf(positions, "positions"),
    countOf(realizedEvents, "gains and losses"),
    countOf(undo, "notes for taking blocks back"),
  ].join(", ")}`
}

const positions = Command.make("positions", { json, set }, (flags) =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* Stores
    yield* migrate(databaseUrl, migrations)
    const since = performance.now()
    const rebuilt = yield* withProgressLine((show) => rebuildPositions(show("computing positions")))
    const seconds = Math.round(performance.now() - since) / 1000
    const { first, last, realizedEvents, differed } = rebuilt
    if (flags.json) {
      return yield* printJson({
        from: first,
        to: last,
        positions: rebuilt.positions,
        realized_events: realizedEvents,
        differed: { positions: differed.positions, realized_events: differed.realizedEvents, undo: differed.undo },
        seconds,
      })
    }
    yield* print(
      `computed ${countOf(rebuilt.positions, "positions")} and ${countOf(realizedEvents, "gains and losses")} ` +
        `from blocks ${first} to ${last} in ${seconds} s; ${sayDiffered(rebuilt)}`,
    )
  }).pipe(Effect.provide(clients.pipe(Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(patient(flags.set))))),
).pipe(
  Command.withDescription(
    "Compute positions, gains and losses anew from the ledger's facts and mend what differs, all or nothing, also while the service runs",
  ),
)

export const rebuild = Command.make("rebuild").pipe(
  Command.withDescription("Compute anew what follows from the ledger's facts"),
  Command.withSubcommands([positions]),
)
