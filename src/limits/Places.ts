import { Effect, Schema, type Scope } from "effect"

/** So much is under way that there is no place for more. */
export class NoPlace extends Schema.TaggedError<NoPlace>()("NoPlace", {
  whose: Schema.Literals(["account", "server"]),
  most: Schema.Int,
}) {}

export interface MostPlaces {
  readonly account: number
  readonly server?: number
}

/** Counts what is under way in this process. Nobody waits for a place: what others take long for is not worth waiting for. */
export const makePlaces = <Account>() => {
  const byAccount = new Map<Account, number>()
  let taken = 0

  const take = (account: Account, most: MostPlaces) =>
    Effect.suspend(() => {
      const own = byAccount.get(account) ?? 0
      if (own >= most.account) return Effect.fail(new NoPlace({ whose: "account", most: own }))
      if (most.server !== undefined && taken >= most.server)
        return Effect.fail(new NoPlace({ whose: "server", most: taken }))
      taken++
      byAccount.set(account, own + 1)
      return Effect.void
    })
  const leave = (account: Account) =>
    Effect.sync(() => {
      taken--
      const others = (byAccount.get(account) ?? 1) - 1
      if (others === 0) byAccount.delete(account)
      else byAccount.set(account, others)
    })

  /** A place until the scope closes. */
  return (account: Account, most: MostPlaces): Effect.Effect<void, NoPlace, Scope.Scope> =>
    Effect.acquireRelease(take(account, most), () => leave(account))
}
