import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import type { Subscribe } from "#src/streams/protocol/client.ts"
import { eventually } from "#test/support/eventually.ts"
import { BookClient } from "./support/bookClient.ts"
import {
  allTokens,
  last,
  makeShard,
  market,
  markets,
  opened,
  services,
  subscribe,
  tokensOf,
  typesOf,
} from "./support/bookShard.ts"
import { list } from "./support/listings.ts"

const booksIn = (frames: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set([...JSON.stringify(frames).matchAll(/"asset_id":"(\d+)"/g)].map(([, token = ""]) => token))

layer(services, { excludeTestServices: true })("BookChannel", (it) => {
  it.effect("acknowledges, sends snapshots, then changes, every trade and new best prices", () =>
    Effect.gen(function* () {
      yield* list(markets)
      const { recorders, channel, shard, reaches } = yield* opened
      const recorder = recorders.recorder()
      const client = new BookClient(recorder)
      const [yes = "", no = ""] = tokensOf(4)
      shard.set(yes, 410_000, 120_000_000)
      yield* shard.publish([yes])
      yield* channel.subscribe(recorder, subscribe({ token_ids: [yes, `0${no}`, "77"] }))
      assert.deepStrictEqual(recorder.received[0], {
        type: "subscribed",
        subscriber_id: recorder.id,
        subscription_id: `${recorder.id}:1`,
        subscription_type: "orderbook",
        markets: 2,
        resolved_from: { token_ids: 2, slugs: 0, condition_ids: 0 },
        warnings: [
          "unresolved_token_ids: nothing comes for 77",
          `books_pending: not available yet, each will be sent in its own snapshot_batch: ${no}`,
        ],
      })
      assert.deepInclude(recorder.received[1], {
        type: "snapshot_batch",
        subscription_id: `${recorder.id}:1`,
        count: 1,
      })
      const [snapshot] = recorder.received[1]?.["snapshots"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(snapshot, {
        asset_id: yes,
        market: market(4).condition,
        condition_id: market(4).condition,
        event_title: "About weather-1",
        question: "Will rain-4?",
        outcome: "Yes",
        slug: "rain-4",
        epoch: shard.epoch,
        seq: 1,
      })
      assert.deepStrictEqual(channel.sourcesOf(recorder), ["books"])
      const cache = yield* BookCache
      assert.sameMembers([...(yield* cache.requested(0)).keys()], [yes, no])

      shard.set(yes, 420_000, 75_500_000)
      shard.trade(yes, 1)
      shard.trade(yes, 2)
      shard.trade(yes, 2)
      yield* shard.publish([yes])
      yield* reaches(client, yes, "75.5")
      const updates = recorder.received.flatMap(
        ({ updates }) => (updates ?? []) as ReadonlyArray<Record<string, unknown>>,
      )
      const names = { asset_id: yes, market: market(4).condition, outcome: "Yes", slug: "rain-4" }
      const { checksum, ...update } = updates[0] ?? {}
      assert.match(String(checksum), /^[0-9a-f]{8}$/)
      assert.deepStrictEqual(update, {
        type: "book_update",
        ...names,
        bids: [
          { price: "0.4", size: "0" },
          { price: "0.42", size: "75.5" },
          { price: "0.41", size: "1.5" },
        ],
        asks: [],
        epoch: shard.epoch,
        prev_seq: 1,
        seq: 2,
      })
      assert.deepStrictEqual(updates[1], {
        type: "price_change",
        market: names.market,
        slug: "rain-4",
        assets: [
          {
            asset_id: yes,
            outcome: "Yes",
            price: "0.42",
            size: "75.5",
            side: "BUY",
            best_bid: "0.42",
            best_ask: "0.9",
          },
        ],
      })
      const traded = { type: "last_trade_price", ...names, price: "0.41", side: "SELL", fee_rate_bps: "0" }
      assert.deepInclude(updates[2], { ...traded, size: "0.000001", transaction_hash: "0x1" })
      assert.deepInclude(updates[3], { ...traded, size: "0.000002", transaction_hash: "0x2" })
      assert.lengthOf(updates, 4)

      // The missing book is sent once it is available.
      shard.set(no, 480_000, 1_000_000)
      yield* shard.publish([no])
      yield* reaches(client, no, "1")
      assert.deepInclude(last(recorder, "snapshot_batch"), { count: 1, total_sent: 1 })
      assert.strictEqual(client.counts.missing, 0)
    }),
  )

  it.effect("token_ids add books, markets replace them, and unsubscribing ends some or all", () =>
    Effect.gen(function* () {
      const { recorders, channel, shard, reaches } = yield* opened
      const recorder = recorders.recorder()
      const client = new BookClient(recorder)
      for (const token of allTokens.slice(0, 40)) shard.set(token, 400_000, 1_000_000)
      yield* shard.publish(allTokens.slice(0, 40))
      const acknowledged = () => last(recorder, "subscribed")
      yield* channel.subscribe(recorder, subscribe({ token_ids: tokensOf(0) }))
      yield* channel.subscribe(recorder, subscribe({ token_ids: tokensOf(1) }))
      assert.deepInclude(acknowledged(), { markets: 4, warnings: [], subscription_id: `${recorder.id}:1` })
      yield* channel.subscribe(
        recorder,
        subscribe({
          markets: ["weather-2", "RAIN-3", market(1).condition, ...tokensOf(9), "rain-none", `0x${"9".repeat(64)}`],
        }),
      )
      // Three markets of the event, and one each by slug, condition and tokens.
      assert.deepInclude(acknowledged(), {
        markets: 12,
        resolved_from: { token_ids: 2, slugs: 2, condition_ids: 1 },
        warnings: [
          "unresolved_slugs: nothing comes for rain-none",
          `unresolved_condition_ids: nothing comes for 0x${"9".repeat(64)}`,
        ],
      })
      const topics = () => allTokens.filter((token) => recorders.publisher.hasSubscribers(`book:${token}`))
      assert.sameMembers(topics(), tokensOf(1, 3, 6, 7, 8, 9))
      const [kept = ""] = tokensOf(9)
      assert.isEmpty(channel.unsubscribe(recorder, { action: "unsubscribe", token_ids: tokensOf(6) }))
      assert.isEmpty(channel.unsubscribe(recorder, { action: "unsubscribe", markets: ["rain-3", market(1).condition] }))
      assert.isEmpty(channel.unsubscribe(recorder, { action: "unsubscribe", markets: ["weather-2"] }))
      assert.deepStrictEqual(topics(), tokensOf(9))
      assert.isEmpty(channel.unsubscribe(recorder, { action: "unsubscribe", subscription_id: "another" }))
      shard.set(kept, 420_000, 5_000_000)
      for (const token of tokensOf(3)) shard.set(token, 420_000, 5_000_000)
      yield* shard.publish([kept, ...tokensOf(3)])
      yield* reaches(client, kept, "5")
      for (const token of tokensOf(3)) assert.strictEqual(client.bids(token)[0]?.size, "1")
      // The other books have no subscribers any more, so a later subscription reads them again.
      assert.isTrue(yield* channel.update(recorder, `${recorder.id}:1`, { slugs: ["rain-5"] }))
      assert.deepInclude(last(recorder, "updated"), { markets: 2, subscription_type: "orderbook" })
      assert.isFalse(yield* channel.update(recorder, "another", { slugs: ["rain-5"] }))
      assert.deepStrictEqual(channel.unsubscribe(recorder, { action: "unsubscribe", token_ids: tokensOf(5) }), [
        `${recorder.id}:1`,
      ])
      assert.isEmpty(topics())
      assert.isEmpty(channel.sourcesOf(recorder))
    }),
  )

  it.effect("accepts ten thousand ids, sends snapshots as there is room, and refuses invalid requests", () =>
    Effect.gen(function* () {
      const { recorders, channel, shard } = yield* opened
      const recorder = recorders.recorder()
      const client = new BookClient(recorder)
      for (const token of allTokens) shard.set(token, 400_000, 1_000_000)
      for (let from = 0; from < allTokens.length; from += 200) yield* shard.publish(allTokens.slice(from, from + 200))
      const unlistedTokens = Array.from({ length: 10_000 - allTokens.length }, (_, index) => String(5_000_000 + index))
      recorder.hasRoom = false
      yield* channel.subscribe(recorder, subscribe({ token_ids: [...unlistedTokens, ...allTokens] }))
      assert.deepStrictEqual(typesOf(recorder), ["subscribed"])
      const { warnings } = recorder.received[0] as { warnings: ReadonlyArray<string> }
      assert.lengthOf(warnings[0]?.split(", ") ?? [], 100)
      assert.include(warnings[0], `and ${unlistedTokens.length - 100} more`)
      // There is room for one part at a time.
      let parts = 0
      const { deliver } = recorder
      Object.assign(recorder, {
        deliver: (frame: Parameters<typeof deliver>[0]) => {
          recorder.hasRoom = false
          deliver(frame)
        },
      })
      while (last(recorder, "snapshots_done") === undefined && parts < 1_000) {
        recorder.hasRoom = true
        channel.readable(recorder)
        parts++
      }
      client.applyAll()
      assert.strictEqual(client.books.size, allTokens.length)
      assert.deepInclude(last(recorder, "snapshots_done"), { total: allTokens.length })
      const sizes = recorder.received.flatMap(({ type, count: size }) => (type === "snapshot_batch" ? [size] : []))
      assert.deepStrictEqual(
        sizes,
        Array.from({ length: allTokens.length / 50 }, () => 50),
      )

      Object.assign(recorder, { deliver, hasRoom: true })
      const code = (message: Omit<Subscribe, "action" | "type">) =>
        Effect.map(Effect.flip(channel.subscribe(recorder, subscribe(message))), (refusal) => refusal.code)
      assert.strictEqual(
        yield* code({ token_ids: unlistedTokens, markets: allTokens.concat(["a"]) }),
        "input_too_large",
      )
      assert.strictEqual(yield* code({}), "invalid_message")
      assert.strictEqual(yield* code({ token_ids: [] }), "invalid_message")
      assert.strictEqual(yield* code({ filters: { side: "BUY", tokens: ["1"] } }), "invalid_message")
      const resync = (tokens: ReadonlyArray<string>) =>
        channel.resync?.(recorder, { action: "resync", token_ids: tokens }) ?? Effect.void
      assert.strictEqual((yield* Effect.flip(resync(["5"]))).code, "unknown_subscription")
      const before = client.counts.snapshots
      for (let n = 0; n < 10; n++) yield* resync([...tokensOf(n), "5"])
      client.applyAll()
      assert.strictEqual(client.counts.snapshots, before + 20)
      const refused = yield* Effect.flip(resync(tokensOf(1)))
      assert.strictEqual(refused.code, "resync_limit")
      assert.isAbove(refused.retryAfterMillis ?? 0, 0)
      channel.left(recorder)
      assert.isEmpty(allTokens.filter((token) => recorders.publisher.hasSubscribers(`book:${token}`)))
    }),
  )

  it.effect("a subscriber that was behind gets the changed books in one batch and nothing else", () =>
    Effect.gen(function* () {
      const { recorders, channel, shard, reaches } = yield* opened
      const [slow, quick] = [new BookClient(recorders.recorder()), new BookClient(recorders.recorder())]
      const tokens = tokensOf(0, 1, 2, 3)
      const [first = "", second = ""] = tokens
      for (const token of tokens) shard.set(token, 400_000, 1_000_000)
      yield* shard.publish(tokens)
      for (const { recorder } of [slow, quick]) yield* channel.subscribe(recorder, subscribe({ token_ids: tokens }))
      const receivedByQuick = quick.recorder.received.length
      shard.set(second, 400_000, 2_000_000)
      yield* shard.publish([second])
      for (const client of [slow, quick]) yield* reaches(client, second, "2")

      slow.recorder.isBehind = true
      channel.pause(slow.recorder)
      const received = slow.recorder.received.length
      shard.set(first, 410_000, 3_000_000)
      yield* shard.publish([first])
      yield* reaches(quick, first, "3")
      assert.lengthOf(slow.recorder.received, received)
      slow.recorder.isBehind = false
      channel.readable(slow.recorder)
      slow.applyAll()
      assert.strictEqual(slow.bids(first)[0]?.size, "3")
      const [batch, ...more] = slow.recorder.received.slice(received)
      assert.deepInclude(batch, { type: "snapshot_batch", gap: true })
      assert.isEmpty(more)
      // Two books, or more if the machine stalled and their state was read again.
      const changed = booksIn(quick.recorder.received.slice(receivedByQuick))
      assert.isEmpty([...booksIn([batch])].filter((token) => !changed.has(token)))
      for (const token of tokens) {
        shard.set(token, 420_000, 4_000_000)
        yield* shard.publish([token])
      }
      for (const client of [slow, quick]) {
        for (const token of tokens) yield* reaches(client, token, "4")
        assert.strictEqual(client.counts.missing, 0)
      }
    }),
  )

  it.effect(
    "a firehose says how many markets it covers and why, and receives all available books, including later ones",
    () =>
      Effect.gen(function* () {
        const { recorders, channel, shard, reaches } = yield* opened
        const recorder = recorders.recorder()
        const client = new BookClient(recorder)
        const [known = "", later = "", unlisted = ""] = [...tokensOf(0), "999"]
        for (const token of [known, unlisted]) shard.set(token, 400_000, 1_000_000)
        yield* shard.publish([known, unlisted])
        yield* channel.subscribe(recorder, subscribe({ markets: ["*"] }))
        assert.deepInclude(last(recorder, "subscribed"), { firehose: true, markets: 2, warnings: [] })
        const { coverage } = last(recorder, "subscribed") as { coverage: Record<string, unknown> }
        assert.deepInclude(coverage, { markets: 2, open_markets: markets.length })
        assert.match(String(coverage["reason"]), /the markets with the most volume .* \(setting books\.top\)/)
        assert.deepInclude(last(recorder, "snapshots_done"), { total: 2 })
        assert.isTrue(recorders.publisher.hasSubscribers("book:*"))
        assert.isFalse(recorders.publisher.hasSubscribers(`book:${known}`))
        shard.set(later, 400_000, 2_000_000)
        shard.set(known, 400_000, 3_000_000)
        yield* shard.publish([later, known])
        yield* reaches(client, later, "2")
        yield* reaches(client, known, "3")

        // A socket that was behind first gets what it missed.
        recorder.isBehind = true
        channel.pause(recorder)
        const other = new BookClient(recorders.recorder())
        yield* channel.subscribe(other.recorder, subscribe({ markets: ["*"] }))
        shard.set(known, 400_000, 4_000_000)
        yield* shard.publish([known])
        yield* reaches(other, known, "4")
        recorder.isBehind = false
        channel.readable(recorder)
        yield* reaches(client, known, "4")
        assert.strictEqual(client.counts.gaps, 1)
        shard.books.delete(unlisted)
        shard.set(known, 400_000, 5_000_000)
        yield* shard.publish([known, unlisted])
        for (const each of [client, other]) {
          yield* reaches(each, known, "5")
          yield* eventually(
            "the dropped book is reported stale",
            Effect.sync(() => {
              each.applyAll()
              return each.stale.has(unlisted)
            }),
          )
          assert.strictEqual(each.counts.missing, 0)
        }
        yield* channel.subscribe(recorder, subscribe({ markets: ["rain-0"] }))
        assert.isFalse("firehose" in (last(recorder, "subscribed") ?? {}))
        channel.left(other.recorder)
        assert.isFalse(recorders.publisher.hasSubscribers("book:*"))
        shard.set(known, 400_000, 6_000_000)
        yield* shard.publish([known])
        yield* reaches(client, known, "6")
      }),
  )

  it.effect("reports a stale book and continues with the next shard", () =>
    Effect.gen(function* () {
      const { recorders, channel, shard, reaches } = yield* opened
      const client = new BookClient(recorders.recorder())
      const [token = ""] = tokensOf(0)
      shard.set(token, 400_000, 1_000_000)
      shard.trade(token, 7)
      yield* shard.publish([token])
      yield* channel.subscribe(client.recorder, subscribe({ token_ids: [token] }))
      shard.books.get(token)?.invalidate()
      yield* shard.publish([token])
      yield* eventually(
        "the book is reported stale",
        Effect.sync(() => {
          client.applyAll()
          return client.stale.has(token)
        }),
      )
      shard.set(token, 400_000, 1_000_000)
      yield* shard.publish([token])
      yield* eventually(
        "the book is fresh again",
        Effect.sync(() => {
          client.applyAll()
          return !client.stale.has(token)
        }),
      )
      assert.strictEqual(client.counts.gaps, 1)
      assert.strictEqual(client.counts.snapshots, 1)

      const next = yield* makeShard
      next.set(token, 410_000, 2_000_000)
      shard.trade(token, 8)
      yield* shard.publish([token])
      next.trade(token, 8)
      next.trade(token, 9)
      yield* next.publish([token])
      yield* reaches(client, token, "2")
      assert.deepInclude(last(client.recorder, "snapshot_batch"), { gap: true })
      assert.strictEqual(client.books.get(token)?.epoch, next.epoch)
      yield* eventually(
        "both trades",
        Effect.sync(() => {
          client.applyAll()
          return client.trades.length >= 2
        }),
      )
      assert.deepStrictEqual(
        client.trades.map(({ size }) => size),
        ["0.000008", "0.000009"],
      )
      assert.strictEqual(client.counts.missing, 0)
    }),
  )
})
