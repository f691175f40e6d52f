import { Schema } from "effect"
import type { ListedLeg } from "#src/combos/model.ts"
import { decimalAmount } from "#src/domain/amounts.ts"
import { legStatuses } from "#src/positions/list/model.ts"
import { priceSources } from "#src/positions/ShownPosition.ts"
import { about, textOrNull } from "../openapi/described.ts"

export const LegField = Schema.Struct({
  leg_index: Schema.Int,
  leg_position_id: about(Schema.String, "Token id of the outcome that the combo needs"),
  leg_condition_id: Schema.String,
  leg_outcome_index: Schema.Int,
  leg_outcome_label: textOrNull("Name of the outcome; null while its market is not listed"),
  leg_status: about(Schema.Literals(legStatuses), "open, won, lost, or split if the outcome pays a part"),
  leg_result: about(Schema.Literals(legStatuses), "As `leg_status`"),
  leg_current_price: textOrNull("Payout, newest trade or the venue's price, decimal; null without any"),
  leg_price_source: about(Schema.NullOr(Schema.Literals(priceSources)), "As in the lists of positions"),
  market_token_id: textOrNull("The token that is traded for the outcome"),
  market_slug: Schema.NullOr(Schema.String),
  market_title: Schema.NullOr(Schema.String),
  event_title: Schema.NullOr(Schema.String),
  market: Schema.NullOr(
    Schema.Struct({
      title: Schema.String,
      slug: Schema.String,
      image: Schema.NullOr(Schema.String),
      event_title: Schema.NullOr(Schema.String),
      event_slug: Schema.NullOr(Schema.String),
      active: Schema.Boolean,
      closed: Schema.Boolean,
      accepting_orders: Schema.Boolean,
      resolved: Schema.Boolean,
      winning_outcome_index: Schema.NullOr(Schema.Int),
    }),
  ),
}).annotate({ identifier: "ComboLeg" })

export const shownLeg = (leg: ListedLeg, leg_index: number): typeof LegField.Type => ({
  leg_index,
  leg_position_id: leg.position,
  leg_condition_id: leg.condition,
  leg_outcome_index: leg.outcomeIndex,
  leg_outcome_label: leg.outcome,
  leg_status: leg.status,
  leg_result: leg.status,
  leg_current_price: leg.price === null ? null : decimalAmount(BigInt(leg.price)),
  leg_price_source: leg.priceSource,
  market_token_id: leg.token,
  market_slug: leg.market?.slug ?? null,
  market_title: leg.market?.title ?? null,
  event_title: leg.market?.eventTitle ?? null,
  market:
    leg.market === null
      ? null
      : {
          title: leg.market.title,
          slug: leg.market.slug,
          image: leg.market.image,
          event_title: leg.market.eventTitle,
          event_slug: leg.market.eventSlug,
          active: leg.market.isActive,
          closed: leg.market.isClosed,
          accepting_orders: leg.market.acceptsOrders,
          resolved: leg.status !== "open",
          winning_outcome_index: leg.winner,
        },
})
