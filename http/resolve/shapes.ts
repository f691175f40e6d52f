import { Schema } from "effect"
import { maxNameLength, readQuery } from "#src/resolve/readQuery.ts"
import { parameter } from "../input/parameter.ts"
import { shown } from "../input/wrongInput.ts"
import { BadInput } from "../server/errors.ts"

const walletTypes = ["deposit_wallet", "safe", "proxy_wallet"] as const

const Address = Schema.String.annotate({ description: "0x and 40 lower-case hexadecimal digits" })
const Deployed = Schema.NullOr(Schema.String)

export const QueryParameter = parameter((text) => {
  const query = readQuery(text)
  return typeof query === "string"
    ? new BadInput({ error: `Parameter "query": ${query}, got ${shown(text)}.`, param: "query" })
    : query
}).annotate({
  description: `an address (a key or any of its wallets), or a user name of at most ${maxNameLength} characters, with or without @`,
})

export const ResolvedUser = Schema.Struct({
  safe: Address.annotate({ description: "The address that trades: a deployed deposit wallet if there is one" }),
  eoa: Schema.NullOr(Address).annotate({ description: "The key; null if the chain does not say" }),
  username: Schema.NullOr(Schema.String).annotate({ description: "Null without a public name" }),
  type: Schema.Literals([...walletTypes, "eoa", "contract"]).annotate({
    description: "What `safe` is; eoa if the key trades by itself, contract if it is no wallet of the venue",
  }),
  wallets: Schema.Struct({ deposit_wallet: Deployed, safe: Deployed, proxy_wallet: Deployed }).annotate({
    description: "Deployed wallets",
  }),
  wallet_details: Schema.Array(
    Schema.Struct({
      address: Address,
      wallet_type: Schema.Literals(walletTypes),
      deployed: Schema.Boolean.annotate({ description: "Whether the node has the contract" }),
      current: Schema.Boolean.annotate({ description: "Whether it is the one in `safe`" }),
    }),
  ).annotate({ description: "All wallets that the venue's contracts can deploy for the key" }),
  hint: Schema.optionalKey(Schema.String.annotate({ description: "What is not known, and why" })),
}).annotate({ identifier: "ResolvedUser" })
