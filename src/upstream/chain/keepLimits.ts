import { Clock, Duration, Effect, Queue } from "effect"
import { KeptLimits, nodeKey } from "./KeptLimits.ts"
import type { NodeLimits } from "./NodeLimits.ts"

/** A plan may have changed since. */
const validFor = Duration.days(1)

interface LimitedNode {
  readonly url: string
  readonly limits: NodeLimits
}

/** Restores what was learnt of nodes, saves what is learnt from now on, and forgets it after a day. */
export const keepLimits = Effect.fnUntraced(function* (nodes: ReadonlyArray<LimitedNode>) {
  const store = yield* KeptLimits
  const known = yield* store.load(nodes.map(({ url }) => nodeKey(url)))
  const millis = Duration.toMillis(validFor)

  const keep = Effect.fnUntraced(function* ({ url, limits }: LimitedNode) {
    const node = nodeKey(url)
    const refusals = yield* Queue.sliding<void>(1)
    const restored = known.get(node)
    let until = 0
    if (restored !== undefined && restored.at + millis > (yield* Clock.currentTimeMillis)) {
      limits.restore(restored)
      until = restored.at + millis
    }
    limits.onLearnt = () => Queue.offerUnsafe(refusals, undefined)

    const saveNext = Effect.gen(function* () {
      yield* Queue.take(refusals)
      const at = yield* Clock.currentTimeMillis
      until = at + millis
      yield* store.save(node, { calls: limits.calls, blocks: limits.blocks, at })
    })
    const forget = Effect.gen(function* () {
      if (until === 0) return yield* Effect.never
      yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))
      until = 0
      limits.forget()
    })
    yield* Effect.forkScoped(Effect.forever(Effect.raceFirst(saveNext, forget)))
  })
  yield* Effect.forEach(nodes, keep, { discard: true })
})
