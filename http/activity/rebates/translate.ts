import { Duration, Result } from "effect"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import type { MakerRebate } from "#src/upstream/clob/model.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"

export const semantics =
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
export const shownVenue = Result.match({
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
