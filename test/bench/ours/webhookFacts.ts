import { Effect, Layer, ManagedRuntime, Schedule } from "effect"
import { foundation } from "#src/roles/Foundation.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { fill, type Happening, handChain, pairChange } from "#test/webhooks/support/handChain.ts"
import { answerAs } from "../support/answerAs.ts"
import { type FactsSubject, now, type Pace, type Told } from "../support/webhooks.ts"
import { configuration } from "./foundation.ts"
import { makeHooks } from "./webhookHooks.ts"

/** Writes a chain into the ledger, as the follower would. */
const runtime = ManagedRuntime.make(
  Layer.merge(ledger, SecretBox.layer).pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)
const chain = await runtime.runPromise(handChain)

let facts = 0
let blocks = 0

/** Every fact is a transaction of its own; no two prices that follow each other are the same. */
const blockOf = ({ fillsPerBlock, wallets, splitters }: Pace, isOdd: boolean) => {
  const happenings: ReadonlyArray<Happening> = [
    ...Array.from({ length: fillsPerBlock }, (_, i) =>
      fill({ maker: 1 + ((facts + i) % wallets), taker: 0, usd: 2_000_000 + ((facts + i) % 2) * 100_000 }),
    ),
    ...Array.from({ length: splitters }, (_, i) => pairChange(isOdd ? "merge" : "split", 1_000_000 + i)),
  ]
  return Object.fromEntries(happenings.map((happening) => [++facts, [happening]]))
}

answerAs<FactsSubject>({
  hooks: (wanted) => runtime.runPromise(Effect.asVoid(makeHooks(wanted))),
  mine: (pace, seconds) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const told: Array<Told> = []
        const once = Effect.gen(function* () {
          const block = yield* chain.mine(blockOf(pace, blocks++ % 2 === 1))
          told.push({ block, at: now() })
        })
        const every = Schedule.fixed(1000 / pace.blocksPerSecond)
        yield* Effect.repeat(once, Schedule.max([every, Schedule.during(`${seconds} seconds`)]))
        return told
      }),
    ),
})
