import { Effect, Schema, type Scope } from "effect"

/** As many requests are in progress as the account or the server may have. */
export class ConcurrencyExceeded extends Schema.TaggedError<ConcurrencyExceeded>()("ConcurrencyExceeded", {
  scope: Schema.Literals(["account", "server"]),
  limit: Schema.Int,
}) {}

export interface ConcurrencyCaps {
  readonly account: number
  readonly server?: number
}

/** Counts the work in progress in this process. Work over a cap is refused at once instead of queued. */
export const makeConcurrencyLimit = <Account>() => {
  const byAccount = new Map<Account, number>()
  let total = 0

  const acquire = (account: Account, caps: ConcurrencyCaps) =>
    Effect.suspend(() => {
      const own = byAccount.get(account) ?? 0
      if (own >= caps.account) return Effect.fail(new ConcurrencyExceeded({ scope: "account", limit: own }))
      if (caps.server !== undefined && total >= caps.server)
        return Effect.fail(new ConcurrencyExceeded({ scope: "server", limit: total }))
      total++
      byAccount.set(account, own + 1)
      return Effect.void
    })
  const release = (account: Account) =>
    Effect.sync(() => {
      total--
      const others = (byAccount.get(account) ?? 1) - 1
      if (others === 0) byAccount.delete(account)
      else byAccount.set(account, others)
    })

  /** Holds a slot until the scope closes. */
  return (account: Account, caps: ConcurrencyCaps): Effect.Effect<void, ConcurrencyExceeded, Scope.Scope> =>
    Effect.acquireRelease(acquire(account, caps), () => release(account))
}
