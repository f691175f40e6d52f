import { Effect } from "effect"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { Account, AmbiguousUser, UnknownUser } from "#src/resolve/model.ts"
import type { Resolver } from "#src/resolve/Resolver.ts"
import type { WalletType } from "#src/upstream/chain/wallets.ts"
import { Conflict, NotFound, Unavailable } from "../server/errors.ts"
import type { ResolvedUser } from "./shapes.ts"

export const accountJson = ({ trader, type, key, username, wallets, gaps }: Account): typeof ResolvedUser.Type => {
  const deployed = (wanted: WalletType) =>
    wallets.find((wallet) => wallet.type === wanted && wallet.isDeployed)?.address ?? null
  return {
    safe: trader,
    eoa: key ?? null,
    username: username ?? null,
    type,
    wallets: {
      deposit_wallet: deployed("deposit_wallet"),
      safe: deployed("safe"),
      proxy_wallet: deployed("proxy_wallet"),
    },
    wallet_details: wallets.map((wallet) => ({
      address: wallet.address,
      wallet_type: wallet.type,
      deployed: wallet.isDeployed,
      current: wallet.address === trader,
    })),
    ...(gaps.length > 0 && { hint: gaps.join(" ") }),
  }
}

const unknownUser = ({ name, similar }: UnknownUser) =>
  new NotFound({
    error: `No user is called "${name}".`,
    hint:
      similar.length > 0
        ? `Similar names: ${similar.join(", ")}.`
        : "Names change; the address of a wallet always works.",
  })

const ambiguousUser = ({ name, users }: AmbiguousUser) =>
  new Conflict({
    error: `Several users are called "${name}".`,
    hint: `Use an address: ${users.map((user) => `${user.name} is ${user.wallet}`).join(", ")}.`,
  })

const sources = { node: "The Polygon node", venue: "The venue's profile service" }

const noAnswer = (source: keyof typeof sources) => (failure: unknown) =>
  Effect.andThen(
    Effect.logWarning(`resolve: ${describe(failure)}`),
    new Unavailable({ error: `${sources[source]} does not answer.`, hint: "Try again in a few seconds." }),
  )

/** What is answered when a query cannot be resolved. */
export const resolveFailure = (
  failure: Effect.Error<ReturnType<Resolver["Service"]["resolve"]>>,
): Effect.Effect<never, NotFound | Conflict | Unavailable> => {
  switch (failure._tag) {
    case "UnknownUser":
      return Effect.fail(unknownUser(failure))
    case "AmbiguousUser":
      return Effect.fail(ambiguousUser(failure))
    case "RpcRefusal":
      return noAnswer("node")(failure)
    case "UpstreamFailure":
      return noAnswer(failure.upstream === "rpc" ? "node" : "venue")(failure)
  }
}
