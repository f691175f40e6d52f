import type { Combo } from "../combos/Combos.ts"
import type { Told } from "../EventRenderer.ts"
import type { ComboFacets, Facets } from "../model.ts"
import type { Names } from "../Names.ts"
import { type Lifecycle, lifecyclePayload } from "../payloads/comboLifecycle.ts"
import { comboExecutionPayload, comboStatusPayload } from "../payloads/comboSettlement.ts"
import type { StatusChange } from "../payloads/statusUpdate.ts"
import type { FillRow, OrderRow, PlaceRow, SettlementRow } from "../rows.ts"

const comboFacets = (
  { condition, legs }: Combo,
  action: string | undefined,
  direction: string | undefined,
): ComboFacets => ({
  conditions: [condition],
  legs: legs.map(({ id }) => id),
  events: [...new Set(legs.flatMap(({ event }) => event ?? []))],
  modules: [...new Set([3, ...legs.map(({ module }) => module)])],
  action,
  direction,
})

const comboIn = (taker: OrderRow, names: Names) => names.combo(names.token(taker.token).hex)

/** What is said of a combo beside what its settlement says; nothing where it is none. */
const beside = (
  type: "combo_execution" | "combo_status_update",
  taker: OrderRow,
  facets: Facets,
  names: Names,
  data: (combo: NonNullable<ReturnType<typeof comboIn>>) => Told["data"],
): ReadonlyArray<Told> => {
  const combo = comboIn(taker, names)
  if (combo === undefined) return []
  return [{ type, facets: { ...facets, combo: comboFacets(combo, undefined, facets.side) }, data: data(combo) }]
}

/** The match of a combo, beside the settlement that it is as well. */
export const tellExecution = (settlement: SettlementRow, taker: OrderRow, facets: Facets, names: Names) =>
  beside("combo_execution", taker, facets, names, (combo) => comboExecutionPayload(settlement, taker, combo, names))

export const tellExecutionStatus = (
  settlement: SettlementRow,
  taker: OrderRow,
  change: StatusChange,
  fills: ReadonlyArray<FillRow> | undefined,
  facets: Facets,
  names: Names,
) =>
  beside("combo_status_update", taker, facets, names, (combo) =>
    comboStatusPayload(settlement, taker, change, fills, combo, names),
  )

/** What is done with a combo, beside the change of positions that it is as well; nothing for other tokens. */
export const tellLifecycle = (
  row: PlaceRow,
  combo: Combo | undefined,
  facets: Facets,
  lifecycle: Lifecycle,
): ReadonlyArray<Told> =>
  combo === undefined
    ? []
    : [
        {
          type: "combo_lifecycle",
          facets: { ...facets, combo: comboFacets(combo, lifecycle.action, undefined) },
          data: lifecyclePayload(row, combo, lifecycle),
        },
      ]
