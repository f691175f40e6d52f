import { Effect, Redacted } from "effect"
import type { Plan } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { call } from "./client.ts"
import { boundPort } from "./server.ts"

/** A new account with a key. */
export const keyOf = (plan: Plan) =>
  Effect.gen(function* () {
    const { key, account, record } = yield* (yield* Keys).open(plan, KeyName.make("test"))
    return { key: Redacted.value(key), account: account.id, id: record.id }
  })

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends a request with a key to the server in the current context. */
export const askWith = (key: string, path: string, { headers, ...options }: Asked = {}) =>
  Effect.flatMap(boundPort, (port) => call(port, path, { ...options, headers: { "x-api-key": key, ...headers } }))
