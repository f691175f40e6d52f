import type { Combo } from "../combos/Combos.ts"
import type { RenderedMessage } from "../EventRenderer.ts"
import type { ComboFacets, Facets } from "../filters/Facets.ts"
import type { Names } from "../Names.ts"
import { comboExecutionPayload, comboStatusPayload, type Lifecycle, lifecyclePayload } from "../payloads/combos.ts"
import type { StatusChange } from "../payloads/settlements.ts"
import type { FactRow, FillRow, OrderRow, SettlementRow } from "../rows.ts"

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

/** The combo message beside a settlement's own; none if the token is not a combo. */
const comboMessage = (
  type: "combo_execution" | "combo_status_update",
  taker: OrderRow,
  facets: Facets,
  names: Names,
  data: (combo: NonNullable<ReturnType<typeof comboIn>>) => RenderedMessage["data"],
): ReadonlyArray<RenderedMessage> => {
  const combo = comboIn(taker, names)
  if (combo === undefined) return []
  return [{ type, facets: { ...facets, combo: comboFacets(combo, undefined, facets.side) }, data: data(combo) }]
}

/** The execution of a combo, beside its settlement message. */
export const renderExecution = (settlement: SettlementRow, taker: OrderRow, facets: Facets, names: Names) =>
  comboMessage("combo_execution", taker, facets, names, (combo) =>
    comboExecutionPayload(settlement, taker, combo, names),
  )

export const renderExecutionStatus = (
  settlement: SettlementRow,
  taker: OrderRow,
  change: StatusChange,
  fills: ReadonlyArray<FillRow> | undefined,
  facets: Facets,
  names: Names,
) =>
  comboMessage("combo_status_update", taker, facets, names, (combo) =>
    comboStatusPayload(settlement, taker, change, fills, combo, names),
  )

/** The lifecycle action of a combo, beside its position message; none for other tokens. */
export const renderLifecycle = (
  row: FactRow,
  combo: Combo | undefined,
  facets: Facets,
  lifecycle: Lifecycle,
): ReadonlyArray<RenderedMessage> =>
  combo === undefined
    ? []
    : [
        {
          type: "combo_lifecycle",
          facets: { ...facets, combo: comboFacets(combo, lifecycle.action, undefined) },
          data: lifecyclePayload(row, combo, lifecycle),
        },
      ]
