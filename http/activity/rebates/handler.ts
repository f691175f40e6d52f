import { Clock, Duration, Effect, Result } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Rebates } from "#src/activity/Rebates.ts"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import type { MakerRebate } from "#src/upstream/clob/model.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { allowTime } from "../../server/deadline.ts"
import { unavailable } from "../../server/errors.ts"
import { objectResponse } from "../../v3/answer.ts"

const semantics =
  "What the venue gives the maker back of the fees of one UTC day, by market, as the venue reports it: it may grow until the day is over, and is paid on a later day."

const shownRebate = ({ date, condition, asset, maker, usd }: MakerRebate) => ({
  date,
  condition_id: `0x${condition}`,
  asset_address: asset,
  maker_address: maker,
  rebated_fees_usdc: decimalAmount(BigInt(usd)),
})

/** Not the details: they may name addresses of the operator's network. */
const messageOf = ({ reason, status }: UpstreamFailure): string => {
  switch (reason) {
    case "rate-limited":
      return "The venue limits requests."
    case "status":
      return `The venue answered with status ${status}.`
    case "timeout":
      return "The venue did not answer in time."
    case "malformed":
    case "too-large":
      return "The venue's answer could not be read."
    case "circuit-open":
      return "The venue failed several times in a row and is not asked for a moment."
    default:
      return "The venue could not be reached."
  }
}

const hintOf = (failure: UpstreamFailure): string =>
  failure.isTransient
    ? "Try again later. paid_on_chain_usdc comes from the ledger and is not affected."
    : "The venue refuses this request; trying again will not help. paid_on_chain_usdc comes from the ledger and is not affected."

const warningOf = (failure: UpstreamFailure) => ({
  reason: failure.reason,
  message: messageOf(failure),
  retry_after_s: failure.retryAfter === undefined ? null : Math.ceil(Duration.toSeconds(failure.retryAfter)),
})

/** What the venue said, or why it said nothing. */
const shownVenue = Result.match({
  onSuccess: (rebates: ReadonlyArray<MakerRebate>) => ({
    rebates: rebates.map(shownRebate),
    rows_returned: rebates.length,
    total_rebated_fees_usdc: exactAmount(rebates.reduce((sum, { usd }) => sum + usd, 0)),
    provider_status: 200,
    provider_warning: null,
    hint: null,
  }),
  onFailure: (failure: UpstreamFailure) => ({
    rebates: [],
    rows_returned: 0,
    total_rebated_fees_usdc: null,
    provider_status: failure.status ?? null,
    provider_warning: warningOf(failure),
    hint: hintOf(failure),
  }),
})

const storeFailed = unavailable("rebates")

export const rebatesHandler = Effect.gen(function* () {
  const rebates = yield* Rebates
  const ledger = yield* LedgerCoverage
  return Effect.fnUntraced(function* (request: {
    readonly params: { readonly address: string }
    readonly query: { readonly date?: string }
  }) {
    // The venue is asked.
    allowTime(yield* HttpServerRequest, "5 seconds")
    const start = yield* Clock.currentTimeMillis
    const { address } = request.params
    const { date = new Date(start).toISOString().slice(0, 10) } = request.query
    const covered = yield* Effect.catch(ledger.now, storeFailed)
    const { fromVenue, paid, payments, asOf } = yield* Effect.catch(rebates.onDay(address, date), storeFailed)
    if (Result.isFailure(fromVenue)) yield* Effect.logWarning(`rebates: ${fromVenue.failure.message}`)
    return objectResponse(
      {
        address,
        date,
        ...shownVenue(fromVenue),
        paid_on_chain_usdc: exactAmount(paid),
        payments_on_chain: payments,
        source: "venue",
        rebate_semantics: semantics,
      },
      { asOf, coverage: shownCoverage(covered?.facts), start, now: yield* Clock.currentTimeMillis },
    )
  })
})
