import { plain, type Routes } from "./Ask.ts"
import { BuilderTrades } from "./builderTrades.ts"
import type { ClobView } from "./ClobView.ts"
import { bad, found } from "./refusal.ts"

export const builderRoutes = (view: ClobView): Routes => {
  const trades = new BuilderTrades(view)
  const placeOf = (code: string): number | undefined => {
    const place = view.sim.made.builders.findIndex((builder) => builder.code === code.toLowerCase())
    return place === -1 ? undefined : place
  }
  return plain({
    "GET /builder/trades": ({ query }) => {
      const code = query.text("builder_code")
      if (code === undefined) throw bad("builder_code is required")
      return trades.page(found(placeOf(code), "builder not found"), query)
    },
    "GET /fees/builder-fees/*": ({ key }) => {
      found(placeOf(key), "builder not found")
      // What builders bring pays the venue's fee and nothing on top.
      return { builder_maker_fee_rate_bps: 0, builder_taker_fee_rate_bps: 0 }
    },
  })
}
