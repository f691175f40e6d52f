import { sideOf } from "../amounts.ts"
import { type EventRenderer, unlessNull } from "../EventRenderer.ts"
import type { Facets } from "../model.ts"
import type { Mentions, Names } from "../Names.ts"
import { fillPayload } from "../payloads/fill.ts"
import { tradePayload } from "../payloads/trade.ts"
import type { FillRow } from "../rows.ts"

export const mentionFill = (
  { maker, taker, token }: Pick<FillRow, "maker" | "taker" | "token">,
  mentions: Mentions,
) => {
  mentions.wallets.add(maker)
  if (taker !== null) mentions.wallets.add(taker)
  mentions.tokens.add(token)
}

const facetsOf = (fill: FillRow, names: Names): Facets => {
  const token = names.token(fill.token)
  return {
    wallets: [names.wallet(fill.maker)],
    tokens: [token.id],
    conditions: unlessNull(token.condition),
    side: sideOf(fill.side),
    size: Number(fill.usd),
    status: "confirmed",
    onlyForWallet: fill.taker === null,
  }
}

export const tellFill: EventRenderer = {
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.factsOf("fill", Number(ref)),
  find: ({ ref, sub }, loaded) => {
    const fill = loaded.fact("fill", Number(ref), sub ?? 0)
    if (fill === undefined) return undefined
    return {
      mention: (mentions) => mentionFill(fill, mentions),
      tell: (names) => {
        const facets = facetsOf(fill, names)
        return [
          { type: "fill", facets, data: fillPayload(fill, names) },
          { type: "trade", facets, data: tradePayload(fill, names) },
        ]
      },
    }
  },
}
