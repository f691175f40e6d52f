import { Effect, Layer, ManagedRuntime, Schedule } from "effect"
import { usdc } from "#src/domain/amounts.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { fill, type Happening, handChain, pairChange } from "#test/webhooks/support/handChain.ts"
import { expose } from "../support/expose.ts"
import { type Committed, type FactsSubject, now, type Pace } from "../support/webhooks.ts"
import { configuration } from "./foundation.ts"
import { makeHooks } from "./webhookHooks.ts"

/** Writes a chain into the ledger, like the follower. */
const runtime = ManagedRuntime.make(
  Layer.merge(ledger, SecretBox.layer).pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)
const chain = await runtime.runPromise(handChain)

let facts = 0
let blocks = 0

/** Every fact has its own transaction, and consecutive prices differ. */
const blockOf = ({ fillsPerBlock, wallets, splitters }: Pace, isOdd: boolean) => {
  const happenings: ReadonlyArray<Happening> = [
    ...Array.from({ length: fillsPerBlock }, (_, i) =>
      fill({ maker: 1 + ((facts + i) % wallets), taker: 0, usd: usdc(2_000_000 + ((facts + i) % 2) * 100_000) }),
    ),
    ...Array.from({ length: splitters }, (_, i) => pairChange(isOdd ? "merge" : "split", 1_000_000 + i)),
  ]
  return Object.fromEntries(happenings.map((happening) => [++facts, [happening]]))
}

expose<FactsSubject>({
  hooks: (requests) => runtime.runPromise(Effect.asVoid(makeHooks(requests))),
  mine: (pace, seconds) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const committed: Array<Committed> = []
        const once = Effect.gen(function* () {
          const block = yield* chain.mine(blockOf(pace, blocks++ % 2 === 1))
          committed.push({ block, at: now() })
        })
        const every = Schedule.fixed(1000 / pace.blocksPerSecond)
        yield* Effect.repeat(once, Schedule.max([every, Schedule.during(`${seconds} seconds`)]))
        return committed
      }),
    ),
})
