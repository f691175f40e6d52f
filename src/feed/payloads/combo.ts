import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { Combo, Leg } from "../combos/Combos.ts"
import { moduleNames } from "../combos/positionId.ts"

const legPayload = (leg: Leg) => ({
  position_id: leg.id,
  module_id: leg.module,
  module_name: moduleNames.get(leg.module) ?? null,
  condition_id: leg.condition,
  event_id: leg.event,
  arity: leg.arity,
  condition_index: leg.conditionIndex,
  outcome_index: leg.outcomeIndex,
  leg_outcome_label: leg.info?.outcome ?? null,
  market:
    leg.info === undefined
      ? null
      : {
          title: leg.info.title,
          slug: leg.info.slug,
          image: leg.info.image,
          event_title: leg.info.eventTitle,
          event_slug: leg.info.eventSlug,
          outcomes: leg.info.outcomes,
          token_ids: leg.info.tokens.map(tokenOfHex),
        },
})

/** What a combo is. */
export const comboPayload = ({ condition, yes, no, legs }: Combo) => ({
  combo_condition_id: condition,
  yes_position_id: yes,
  no_position_id: no,
  leg_position_ids: legs.map(({ id }) => id),
  legs_total: legs.length,
  legs: legs.map(legPayload),
})

/** YES wins if everything does. */
export const outcomeSide = ({ yes }: Combo, token: string): "YES" | "NO" => (token === yes ? "YES" : "NO")
