import { Context, Effect, Layer } from "effect"
import type { Hex } from "viem"
import type { Profile } from "#src/domain/Catalogue.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RpcFailure } from "#src/upstream/chain/failures.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { accountOf, type KnownUser } from "./accountOf.ts"
import { isNamed, type NamedProfile, usersNamed } from "./chooseUser.ts"
import { identify } from "./identify.ts"
import { type Account, AmbiguousUser, type Identity, type Query, UnknownUser } from "./model.ts"

const profilesPerPage = 20
/** The venue ranks the best matches first. */
const maxPages = 3

const userOf = ({ name, wallet }: Profile): KnownUser => ({ name: name ?? undefined, wallet: `0x${wallet}` })

/** Finds the wallets of a user. */
export class Resolver extends Context.Service<
  Resolver,
  {
    readonly resolve: (
      query: Query,
    ) => Effect.Effect<Account, UnknownUser | AmbiguousUser | UpstreamFailure | RpcFailure>
  }
>()("presage/resolve/Resolver") {
  static readonly layer = Layer.effect(
    Resolver,
    Effect.gen(function* () {
      const node = yield* ChainNode
      const gamma = yield* Gamma

      const profileOf = (address: Hex) =>
        gamma.profile(address.slice(2)).pipe(
          Effect.map(userOf),
          Effect.catchIf(
            ({ status }) => status === 404,
            () => Effect.undefined,
          ),
        )

      /** The profile of one of the addresses. Users move to new wallets, and their profile need not. */
      const firstProfile = Effect.fnUntraced(function* (addresses: ReadonlySet<Hex>) {
        for (const address of addresses) {
          const user = yield* profileOf(address)
          if (user !== undefined) return user
        }
        return undefined
      })

      const userWith = (address: Hex, { key, wallets }: Identity) => {
        const deployed = wallets.flatMap((wallet) => (wallet.isDeployed ? [wallet.address] : []))
        return firstProfile(new Set([...deployed, address, ...(key === undefined ? [] : [key])]))
      }

      /** Pages of the search until one has exactly this name. */
      const search = Effect.fnUntraced(function* (name: string) {
        const found: Array<NamedProfile> = []
        for (let page = 1; page <= maxPages; page++) {
          const profiles = yield* gamma.findProfiles(name, page, profilesPerPage)
          found.push(...profiles.filter(isNamed))
          if (profiles.length === 0 || found.some((profile) => profile.name === name)) break
        }
        return found
      })

      const profileNamed = Effect.fnUntraced(function* (name: string) {
        const found = yield* search(name)
        const users = usersNamed(name, found)
        const [user, ...others] = users
        if (user === undefined) {
          return yield* new UnknownUser({ name, similar: found.slice(0, 5).map((profile) => profile.name) })
        }
        if (others.length === 0) return user
        const named = users.map((profile) => ({ name: profile.name, wallet: `0x${profile.wallet}` }))
        return yield* new AmbiguousUser({ name, users: named })
      })

      return Resolver.of({
        resolve: Effect.fn("Resolver.resolve")(function* (query) {
          if ("address" in query) {
            const identity = yield* identify(node, query.address)
            return accountOf(query.address, identity, yield* userWith(query.address, identity))
          }
          const user = userOf(yield* profileNamed(query.name))
          return accountOf(user.wallet, yield* identify(node, user.wallet), user)
        }),
      })
    }),
  )
}
