import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Keys } from "#src/keys/Keys.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { fill, handChain } from "../support/handChain.ts"
import { deliveriesOf, newAccount, newWebhook, stores, tick } from "../support/pending.ts"

const withKeys = accountKeys.pipe(Layer.provideMerge(Secrets.layer), Layer.provideMerge(stores()))

layer(withKeys, { excludeTestServices: true })("Webhooks of an account", (it) => {
  it.effect("that is deactivated are sent nothing until it is active again", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const { setActive } = yield* Keys
      yield* tick("trade")
      const account = yield* newAccount("enterprise")
      const webhook = yield* newWebhook(account, ["trade"])
      const other = yield* newWebhook(yield* newAccount("enterprise"), ["trade"])
      const trade = Effect.fnUntraced(function* (transaction: number) {
        yield* chain.mine({ [transaction]: [fill()] })
        yield* chain.wait(3)
        yield* tick("trade")
      })
      yield* trade(1)
      yield* setActive(account, false)
      yield* trade(2)
      yield* setActive(account, true)
      yield* trade(3)
      const statuses = (id: typeof webhook) => Effect.map(deliveriesOf(id), (due) => due.map(({ status }) => status))
      assert.deepStrictEqual(yield* statuses(webhook), ["pending", "held", "pending"])
      assert.deepStrictEqual(yield* statuses(other), ["pending", "pending", "pending"])
    }),
  )
})
