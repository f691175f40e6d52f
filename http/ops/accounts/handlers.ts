import { Effect, Redacted } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Keys } from "#src/keys/Keys.ts"
import { type Account, limitsOf, NoSuchAccount } from "#src/keys/model.ts"
import { Audit } from "#src/operators/Audit.ts"
import { BadInput, NotFound, unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { CurrentOperator } from "../OperatorAccess.ts"

const shown = (account: Account) => {
  const { standardPerMinute, heavyPerMinute } = limitsOf(account)
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    active: account.active,
    standard_per_minute: standardPerMinute,
    heavy_per_minute: heavyPerMinute,
    own_limits: { standard_per_minute: account.standardPerMinute, heavy_per_minute: account.heavyPerMinute },
    created_at: account.createdAt.toISOString(),
  }
}

const refused = (error: unknown) =>
  error instanceof NoSuchAccount
    ? Effect.fail(new NotFound({ error: "The account does not exist.", hint: "GET /ops/v1/accounts lists them." }))
    : unavailable("ops")(error)

export const AccountsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    const audit = yield* Audit

    const audited = <A, E>(action: string, subject: string, detail: string, work: Effect.Effect<A, E>) =>
      Effect.flatMap(CurrentOperator, ({ name }) => audit.record({ by: name, action, subject, detail }, work))

    return handlers.handleAll({
      list: ({ query: { limit = 200 } }) =>
        Effect.map(Effect.catch(keys.listAccounts(limit), unavailable("ops")), (accounts) => ({
          accounts: accounts.map((each) => ({ ...shown(each), keys: each.keys })),
        })),
      create: Effect.fnUntraced(function* ({ payload: { name, plan, with_key: withKey = true } }) {
        const opened = Effect.gen(function* () {
          if (!withKey) return { account: yield* keys.createAccount(plan, name), api_key: null }
          const { account, key } = yield* keys.open(plan, name)
          return { account, api_key: Redacted.value(key) }
        })
        const { account, api_key } = yield* Effect.catch(
          audited("create account", name, `plan ${plan}${withKey ? ", with a key" : ""}`, opened),
          unavailable("ops"),
        )
        return { account: shown(account), api_key }
      }),
      change: Effect.fnUntraced(function* ({ params, payload }) {
        const { plan, active, standard_per_minute: standard, heavy_per_minute: heavy } = payload
        if (Object.keys(payload).length === 0)
          return yield* new BadInput({
            error: "Nothing to change.",
            hint: "Send plan, active, standard_per_minute or heavy_per_minute.",
          })
        const { id } = params
        const changed = keys.update(id, {
          ...(plan !== undefined && { plan }),
          ...(active !== undefined && { active }),
          ...(standard !== undefined && { standard }),
          ...(heavy !== undefined && { heavy }),
        })
        return shown(yield* Effect.catch(audited("change account", id, JSON.stringify(payload), changed), refused))
      }),
    })
  }),
)
