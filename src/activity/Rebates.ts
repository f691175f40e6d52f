import { Context, Duration, Effect, Layer, type Result } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { type Usdc, usdc } from "#src/domain/amounts.ts"
import { dayMillis } from "#src/domain/time.ts"
import { bytesOfWallet, type Wallet } from "#src/domain/Wallet.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { paymentPurposes } from "#src/ledger/factRows.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import type { MakerRebate } from "#src/upstream/clob/model.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"

export interface RebatesOfDay {
  /** What the venue says, or why it did not. */
  readonly fromVenue: Result.Result<ReadonlyArray<MakerRebate>, UpstreamFailure>
  /** What the ledger saw the venue pay the wallet on that day, in 10⁻⁶ dollars. The venue pays the fees of earlier days. */
  readonly paid: Usdc<bigint>
  readonly payments: number
  readonly asOf: AsOf | undefined
}

/** The longest that an answer waits for the venue. */
const patience = Duration.seconds(5)

const paymentsOn = (sql: SqlClient, wallet: string, date: string) => {
  const from = new Date(`${date}T00:00:00Z`)
  const to = new Date(from.getTime() + dayMillis)
  return sql<AsOfRow & { readonly paid: Usdc<bigint>; readonly payments: number }>`
    select head.*, paid.* from (${sql.literal(asOfSql)}) head cross join (
      select coalesce(sum(m.amount), 0)::int8 as paid, count(*)::int as payments
      from maker_payment m
      where m.wallet = (select id from wallet where address = ${bytesOfWallet(wallet)})
        and m.purpose = ${paymentPurposes.indexOf("rebate")} and m.at >= ${from} and m.at < ${to}) paid`
}

/** What makers are given back of fees. */
export class Rebates extends Context.Service<
  Rebates,
  {
    /** By wallet and UTC day, YYYY-MM-DD. */
    readonly onDay: (wallet: Wallet, date: string) => Effect.Effect<RebatesOfDay, SqlError>
  }
>()("presage/activity/Rebates") {
  static readonly layer = Layer.effect(
    Rebates,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const clob = yield* ClobRest
      const late = new UpstreamFailure({
        upstream: "clob",
        reason: "timeout",
        detail: `no response within ${Duration.format(patience)}`,
      })
      return Rebates.of({
        onDay: Effect.fn("Rebates.onDay")(function* (wallet: string, date: string) {
          const asked = clob
            .rebates(wallet, date)
            .pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(late) }), Effect.result)
          const [fromVenue, [row]] = yield* Effect.all([asked, paymentsOn(reads, wallet, date)], { concurrency: 2 })
          return { fromVenue, paid: row?.paid ?? usdc(0n), payments: row?.payments ?? 0, asOf: asOfIn(row) }
        }),
      })
    }),
  )
}
