import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/unstable/http"
import { isInetAddress } from "effect/unstable/net/NetAddress"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"

/** The server's port, and a key with an account limit that the bench never reaches. */
export const listenWithKey = Effect.gen(function* () {
  const keys = yield* Keys
  const { key, account } = yield* keys.open("enterprise", KeyName.make("bench"))
  yield* keys.setLimits(account.id, { standard: PerMinute.make(1_000_000), heavy: PerMinute.make(1_000_000) })
  const { address } = yield* HttpServer.HttpServer
  return { port: isInetAddress(address) ? address.port : 0, key: Redacted.value(key) }
})
