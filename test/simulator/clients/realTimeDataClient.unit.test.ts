import { assert, describe, it } from "@effect/vitest"
import { ConnectionStatus, type Message, RealTimeDataClient } from "@polymarket/real-time-data-client"
import { Effect } from "effect"
import { coins } from "#src/simulator/world/oracle.ts"
import { runningVenue } from "#test/support/venue.ts"

/** The connected client and its messages. */
const connected = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly client: RealTimeDataClient; readonly messages: Array<Message> }>((resume) => {
      const messages: Array<Message> = []
      new RealTimeDataClient({
        host: `ws://127.0.0.1:${port}/rtds`,
        autoReconnect: false,
        onConnect: (client) => resume(Effect.succeed({ client, messages })),
        onMessage: (_, message) => messages.push(message),
        onStatusChange: (status) => {
          if (status === ConnectionStatus.DISCONNECTED && messages.length === 0) resume(Effect.die("disconnected"))
        },
      }).connect()
    }),
    ({ client }) => Effect.sync(() => client.disconnect()),
  )

interface Price {
  readonly symbol: string
  readonly timestamp: number
  readonly value: number
  readonly full_accuracy_value: string
}

describe("official real-time data client", () => {
  it.live("receives a snapshot and then a price a second", () =>
    Effect.gen(function* () {
      const { port, simulation, until } = yield* runningVenue(8)
      simulation.freeze()
      const { client, messages } = yield* connected(port)
      client.subscribe({
        subscriptions: [{ topic: "crypto_prices_chainlink", type: "*", filters: '{"symbol":"btc/usd"}' }],
      })
      yield* until("the snapshot", () => messages.length > 0)
      const { topic, type, payload } = messages[0] as Message
      assert.deepStrictEqual([topic, type], ["crypto_prices", "subscribe"])
      assert.isAtLeast((payload as { readonly data: ReadonlyArray<unknown> }).data.length, 50)

      simulation.advance(30_000)
      const updates = () => messages.filter((message) => message.type === "update")
      yield* until("the prices", () => updates().length >= 25)
      const btc = coins.findIndex(({ symbol }) => symbol === "BTC")
      for (const message of updates()) {
        const { symbol, timestamp, value, full_accuracy_value } = message.payload as Price
        const price = simulation.model.world.oracle.platformPrice(btc, timestamp / 1000)
        assert.strictEqual(symbol, "btc/usd")
        assert.strictEqual(value, (price ?? 0) / 1e8)
        assert.strictEqual(BigInt(full_accuracy_value), BigInt(price ?? 0) * 10n ** 10n)
      }

      client.unsubscribe({
        subscriptions: [{ topic: "crypto_prices_chainlink", type: "*", filters: '{"symbol":"btc/usd"}' }],
      })
      client.subscribe({ subscriptions: [{ topic: "activity", type: "trades" }] })
      const before = messages.length
      yield* until("a trade", () => {
        simulation.advance(5_000)
        return messages.slice(before).some((message) => message.topic === "activity")
      })
    }),
  )
})
