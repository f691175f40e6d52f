import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Keys } from "#src/keys/Keys.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { fill, handChain } from "../support/handChain.ts"
import { newAccount, newWebhook, owedTo, stores, tick } from "../support/owed.ts"

const withKeys = Keys.layer.pipe(Layer.provideMerge(Secrets.layer), Layer.provideMerge(stores()))

layer(withKeys, { excludeTestServices: true })("Webhooks of an account", (it) => {
  it.effect("that is not active are not sent anything until it is again", () =>
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
      const statuses = (id: typeof webhook) => Effect.map(owedTo(id), (owed) => owed.map(({ status }) => status))
      assert.deepStrictEqual(yield* statuses(webhook), ["pending", "held", "pending"])
      assert.deepStrictEqual(yield* statuses(other), ["pending", "pending", "pending"])
    }),
  )
})
