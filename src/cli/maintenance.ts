import { Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { maxWallets } from "#src/balances/settings.ts"
import { nodeLimitsInPostgres } from "#src/ledger/NodeLimitStore.ts"
import { type FillGapsResult, fillGaps } from "#src/repair/fillGaps.ts"
import { type RebuildResult, rebuildPositions } from "#src/repair/rebuild.ts"
import { checkBalances } from "#src/repair/verify/balances.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { Stores } from "#src/roles/Stores.ts"
import { consistentNode } from "#src/upstream/chain/ConsistentNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { configured, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { ChecksFailed } from "./doctor.ts"
import { chain, clientsFor, migrateStores, withLongTimeouts, withProgressLine } from "./ledgerCommand.ts"
import { print, printJson, table } from "./print.ts"
import { venueOfInstance } from "./runningInstance.ts"

export const migrate = Command.make("migrate", { json, set }, (flags) =>
  Effect.gen(function* () {
    const applied = yield* migrateStores
    if (flags.json) return yield* printJson({ applied })
    yield* print(applied.length === 0 ? "the schema is up to date" : `applied ${applied.join(", ")}`)
  }).pipe(Effect.provide(Stores.briefLayer.pipe(Layer.provide(configured(flags.set))))),
).pipe(Command.withDescription(descriptions.migrate))

const node = consistentNode.pipe(
  Layer.provide(nodeLimitsInPostgres),
  Layer.provide(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
  Layer.provide(venueOfInstance),
)

const withNode = Flag.Boolean("node").pipe(
  Flag.withDescription("Also compare positions of some wallets with their balances on the node"),
  Flag.withDefault(false),
)

const wallets = Flag.Int("wallets").pipe(
  Flag.withDescription("Number of wallets to compare with --node"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxWallets }))),
  Flag.withDefault(100),
)

export const verify = Command.make("verify", { node: withNode, wallets, json, set }, (flags) =>
  Effect.gen(function* () {
    yield* migrateStores
    const own = yield* verifyLedger
    const checks = flags.node ? [...own, yield* Effect.provide(checkBalances(flags.wallets), node)] : own
    const failed = checks.filter(({ ok }) => !ok).length
    if (flags.json) yield* printJson({ ok: failed === 0, checks })
    else {
      const rows = checks.map(({ check, ok, detail }) => [check, ok ? "ok" : "wrong", detail])
      yield* print(table(["CHECK", "STATE", "DETAIL"], rows))
    }
    if (failed > 0) return yield* new ChecksFailed({ failed })
  }).pipe(Effect.provide(clientsFor(flags.set))),
).pipe(Command.withDescription(descriptions.verify))

const countOf = (count: number, what: string) => `${count.toLocaleString("en")} ${what}`

const describeDifferences = ({ differed }: RebuildResult): string => {
  const { positions, realizedEvents, undo } = differed
  if (positions + realizedEvents + undo === 0) return "all were correct"
  return `corrected: ${[
    countOf(positions, "positions"),
    countOf(realizedEvents, "gains and losses"),
    countOf(undo, "undo records"),
  ].join(", ")}`
}

const positions = Command.make("positions", { json, set }, (flags) =>
  Effect.gen(function* () {
    yield* migrateStores
    const start = performance.now()
    const rebuilt = yield* withProgressLine((show) => rebuildPositions(show("computing positions")))
    const seconds = Math.round(performance.now() - start) / 1000
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
        `from blocks ${first} to ${last} in ${seconds} s; ${describeDifferences(rebuilt)}`,
    )
  }).pipe(Effect.provide(clientsFor(flags.set))),
).pipe(
  Command.withDescription(
    "Recompute positions, gains and losses from the ledger's facts and correct differences in one transaction; the service may keep running",
  ),
)

export const rebuild = Command.make("rebuild").pipe(
  Command.withDescription(descriptions.rebuild),
  Command.withSubcommands([positions]),
)

const block = (name: string, description: string) => Flag.Int(name).pipe(Flag.withDescription(description))

const describeBackfill = ({ from, to, added, rebuilt }: FillGapsResult): string => {
  const kinds = Object.entries(added).filter(([, count]) => count > 0)
  const facts = kinds.map(([kind, count]) => `${kind} ${count.toLocaleString("en")}`).join(", ")
  const range = `blocks ${from} to ${to}`
  const found = kinds.length === 0 ? `nothing was missing in ${range}` : `added to ${range}: ${facts}`
  if (rebuilt === undefined) return `${found}; positions are unchanged`
  return `${found}; recomputed ${countOf(rebuilt.positions, "positions")}, ${describeDifferences(rebuilt)}`
}

export const backfill = Command.make(
  "backfill",
  {
    from: block("from", "First block to read"),
    to: block("to", "Last block to read; it must be finalized"),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      yield* migrateStores
      const filled = yield* withProgressLine((show) =>
        fillGaps({
          from: flags.from,
          to: flags.to,
          onRead: show("reading the chain"),
          onRebuilt: show("computing positions"),
        }).pipe(Effect.provide(chain)),
      )
      if (!flags.json) return yield* print(describeBackfill(filled))
      const { from, to, added, rebuilt } = filled
      yield* printJson({ from, to, facts: added, positions_rebuilt: rebuilt !== undefined })
    }).pipe(Effect.provide(Stores.briefLayer.pipe(Layer.provideMerge(withLongTimeouts(flags.set))))),
).pipe(
  Command.withDescription(descriptions.backfill),
  Command.withExamples([
    { command: "presage backfill --from 80000000 --to 80000100", description: "Add what is missing in these blocks" },
  ]),
)
