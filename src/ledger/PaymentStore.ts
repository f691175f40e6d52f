import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { paymentPurposes } from "./factRows.ts"

/** What the venue paid a wallet as a maker, in 10⁻⁶ of collateral. No profit or loss contains it. */
export interface MakerPayments {
  readonly rewards: bigint
  readonly rebates: bigint
}

export const noPayments: MakerPayments = { rewards: 0n, rebates: 0n }

/** SQL columns `rewards` and `rebates`, over rows of `maker_payment`. */
export const paymentSums = (["reward", "rebate"] as const)
  .map(
    (purpose) =>
      `coalesce(sum(amount) filter (where purpose = ${paymentPurposes.indexOf(purpose)}), 0)::int8 as ${purpose}s`,
  )
  .join(", ")

/** Payments to wallets up to a time in milliseconds, by address. */
export const paymentsTo = (sql: SqlClient, addresses: ReadonlyArray<string>, until: number) =>
  Effect.map(
    sql<MakerPayments & { readonly wallet: string }>`
      select '0x' || encode(w.address, 'hex') as wallet, ${sql.literal(paymentSums)}
      from wallet w join maker_payment m on m.wallet = w.id and m.at <= ${new Date(until)}
      where w.address = any(${pgArray("bytea", addresses, bytesOfWallet)})
      group by w.address`,
    (rows): ReadonlyMap<string, MakerPayments> => new Map(rows.map(({ wallet, ...payments }) => [wallet, payments])),
  )

/** All payments to a wallet. */
export const paymentsOf = (sql: SqlClient, wallet: number | undefined) =>
  Effect.map(
    sql<MakerPayments>`select ${sql.literal(paymentSums)} from maker_payment where wallet = ${wallet ?? -1}`,
    ([row]) => row ?? noPayments,
  )
