import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { WebSocket } from "ws"
import { poll } from "#src/platform/embedded/waiting.ts"
import { patience } from "#test/support/patience.ts"
import type { Received } from "./resumingClient.ts"

/** The first answer to a subscription; undefined without a connection. The socket stays open. */
const subscribe = (address: string, message: object) =>
  Effect.callback<{ readonly answer: Received | undefined; readonly socket: WebSocket }>((resume) => {
    const socket = new WebSocket(address)
    socket.on("open", () => socket.send(JSON.stringify(message)))
    socket.on("error", () => undefined)
    socket.once("message", (data) => resume(Effect.succeed({ answer: JSON.parse(String(data)) as Received, socket })))
    socket.once("close", () => resume(Effect.succeed({ answer: undefined, socket })))
  })

/** Takes the only connection of an account at the first gateway, so that the second refuses until the first is killed. */
export const takeOnlyLease = (first: string, second: string, wallets: ReadonlyArray<string>, withinMillis: number) =>
  Effect.gen(function* () {
    const message = { action: "subscribe", type: "wallets", filters: { wallets } }
    const holder = yield* subscribe(first, message)
    assert.strictEqual(holder.answer?.type, "subscribed", JSON.stringify(holder.answer))
    const answerAt = (address: string) =>
      Effect.acquireUseRelease(
        subscribe(address, message),
        ({ answer }) => Effect.succeed(answer),
        ({ socket }) => Effect.sync(() => socket.terminate()),
      )
    // A busy machine may drop a connection before its first answer.
    const refused = yield* poll(answerAt(second), { forMillis: patience, everyMillis: 500 })
    assert.strictEqual(refused?.["code"], "connection_limit", JSON.stringify(refused))
    // Both are tried, because they are killed in turns.
    const isFree = Effect.map(Effect.forEach([second, first], answerAt), (answers) =>
      answers.find((each) => each?.type === "subscribed"),
    )
    /** Milliseconds until the lease was free after the kill. */
    const isFreeAgain = Effect.gen(function* () {
      const since = performance.now()
      const found = yield* poll(isFree, { forMillis: withinMillis, everyMillis: 500 })
      assert.isDefined(found, `the lease of a killed gateway was not free within ${withinMillis} ms`)
      return Math.round(performance.now() - since)
    })
    return { isFreeAgain }
  })
