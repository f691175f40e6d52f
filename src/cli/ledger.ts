import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { type RewindResult, rewindLedger } from "#src/repair/rewind.ts"
import { Stores } from "#src/roles/Stores.ts"
import { json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { chain, migrateStores, withLongTimeouts, withProgressLine } from "./ledgerCommand.ts"
import { print, printJson } from "./print.ts"

const describeRewind = ({ from, to, retracted, rebuilt }: RewindResult): string =>
  `rewound the ledger from block ${from} to ${to}: ${retracted.toLocaleString("en")} events retracted, ` +
  `${rebuilt.positions.toLocaleString("en")} positions computed; the service continues from there by itself`

const to = Flag.Int("to").pipe(
  Flag.withDescription("Last block to keep; by default the newest one that is on the node's chain too"),
  Flag.optional,
)

const rewind = Command.make("rewind", { to, json, set }, (flags) =>
  Effect.gen(function* () {
    yield* migrateStores
    const rewound = yield* withProgressLine((show) =>
      rewindLedger({
        to: Option.getOrUndefined(flags.to),
        onProgress: show("computing positions"),
      }).pipe(Effect.provide(chain)),
    )
    if (!flags.json) return yield* print(describeRewind(rewound))
    const { from, to, retracted, rebuilt } = rewound
    yield* printJson({ from, to, events_retracted: retracted, positions: rebuilt.positions })
  }).pipe(Effect.provide(Stores.briefLayer.pipe(Layer.provideMerge(withLongTimeouts(flags.set))))),
).pipe(
  Command.withDescription(
    "Take the ledger back to a block of the node's chain in one transaction, after a reorganisation that is too deep to follow; the service may keep running",
  ),
  Command.withExamples([
    { command: "presage ledger rewind", description: "Keep what the ledger and the node agree on" },
    { command: "presage ledger rewind --to 80000100", description: "Keep the blocks up to this one" },
  ]),
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription(descriptions.ledger),
  Command.withSubcommands([rewind]),
)
