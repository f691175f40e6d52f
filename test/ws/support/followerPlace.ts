import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { WebSocket } from "ws"
import { poll } from "#src/platform/embedded/waiting.ts"
import type { Said } from "./follower.ts"

/** The first answer to a subscription; undefined where there is no connection. The socket stays open. */
const ask = (address: string, message: object) =>
  Effect.callback<{ readonly said: Said | undefined; readonly socket: WebSocket }>((resume) => {
    const socket = new WebSocket(address)
    socket.on("open", () => socket.send(JSON.stringify(message)))
    socket.on("error", () => undefined)
    socket.once("message", (data) => resume(Effect.succeed({ said: JSON.parse(String(data)) as Said, socket })))
    socket.once("close", () => resume(Effect.succeed({ said: undefined, socket })))
  })

/** Takes the only place of an account at the first address, so that there is none at the second until that gateway dies. */
export const onlyPlaceTaken = (first: string, second: string, wallets: ReadonlyArray<string>, withinMillis: number) =>
  Effect.gen(function* () {
    const message = { action: "subscribe", type: "wallets", filters: { wallets } }
    const place = yield* ask(first, message)
    assert.strictEqual(place.said?.type, "subscribed", JSON.stringify(place.said))
    const saidAt = (address: string) =>
      Effect.acquireUseRelease(
        ask(address, message),
        ({ said }) => Effect.succeed(said),
        ({ socket }) => Effect.sync(() => socket.terminate()),
      )
    const refused = yield* saidAt(second)
    assert.strictEqual(refused?.["code"], "connection_limit", JSON.stringify(refused))
    // Whichever of the two is there when the place is free: they are killed by turns.
    const isFree = Effect.map(Effect.forEach([second, first], saidAt), (said) =>
      said.find((each) => each?.type === "subscribed"),
    )
    /** How long it took, once the gateway is dead. */
    const isFreeAgain = Effect.gen(function* () {
      const since = performance.now()
      const found = yield* poll(isFree, { forMillis: withinMillis, everyMillis: 500 })
      assert.isDefined(found, `a killed gateway's place was not free within ${withinMillis} ms`)
      return Math.round(performance.now() - since)
    })
    return { isFreeAgain }
  })
