import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BookFollower, topicOf } from "#ws/books/BookFollower.ts"
import { BookReplicas } from "#ws/books/BookReplicas.ts"
import { unlistedNames } from "#ws/books/bookRequest.ts"
import { last, makeShard, services, tokensOf } from "./support/bookShard.ts"
import { makeRecorders } from "./support/recordingSubscriber.ts"

layer(services, { excludeTestServices: true })("Late order books", (it) => {
  it.effect("snapshots_done comes after the books that were not available at first, or says how many are missing", () =>
    Effect.gen(function* () {
      const shard = yield* makeShard
      const replicas = yield* BookReplicas.make
      const { recorder: subscriber, publisher } = makeRecorders()
      const recorder = subscriber()
      const follower = new BookFollower(recorder, replicas)
      const tokens = tokensOf(0, 1)
      const [first = "", second = ""] = tokens
      const snapshots = () =>
        recorder.received.flatMap(({ snapshots: books }) =>
          books === undefined ? [] : [(books as ReadonlyArray<{ asset_id: string }>).map(({ asset_id }) => asset_id)],
        )
      /** What the gateway does every 250 ms. */
      const flush = Effect.fnUntraced(function* (now: number) {
        yield* replicas.read
        replicas.flush(now, (token, frame) => publisher.publish(topicOf(token), frame))
        follower.flushed(now)
      })
      shard.set(first, 400_000, 1_000_000)
      yield* shard.publish([first])
      follower.add(tokens.map(unlistedNames))
      yield* replicas.read
      follower.sendSnapshots(tokens)
      yield* flush(1_000)
      assert.deepStrictEqual(snapshots(), [[first]])

      shard.set(second, 400_000, 1_000_000)
      yield* shard.publish([second])
      replicas.lost(0)
      yield* flush(5_900)
      assert.deepStrictEqual(snapshots(), [[first], [second]])
      assert.isUndefined(last(recorder, "snapshots_done"))
      yield* flush(6_000)
      yield* flush(6_250)
      const done = { type: "snapshots_done", subscription_id: `${recorder.id}:1` }
      assert.deepStrictEqual(
        recorder.received.filter(({ type }) => type === "snapshots_done"),
        [{ ...done, total: 2, pending: 2 }],
      )

      follower.sendSnapshots(tokens.slice(0, 3))
      follower.keepOnly(new Map(tokens.slice(0, 2).map((token) => [token, true])))
      yield* flush(6_500)
      assert.deepStrictEqual(last(recorder, "snapshots_done"), { ...done, total: 2 })
    }),
  )
})
