import { usdc } from "#src/domain/amounts.ts"
import { sideOf } from "../amounts.ts"
import { type EventRenderer, fromNullable } from "../EventRenderer.ts"
import type { Facets } from "../filters/Facets.ts"
import type { Mentions, Names } from "../Names.ts"
import { fillPayload, tradePayload } from "../payloads/fills.ts"
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
    conditions: fromNullable(token.condition),
    side: sideOf(fill.side),
    size: usdc(Number(fill.usd)),
    status: "confirmed",
    onlyForWallet: fill.taker === null,
  }
}

export const renderFill: EventRenderer = {
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.facts("fill", Number(ref)),
  find: ({ ref, sub }, rows) => {
    const fill = rows.fact("fill", Number(ref), sub ?? 0)
    if (fill === undefined) return undefined
    return {
      mention: (mentions) => mentionFill(fill, mentions),
      render: (names) => {
        const facets = facetsOf(fill, names)
        return [
          { type: "fill", facets, data: fillPayload(fill, names) },
          { type: "trade", facets, data: tradePayload(fill, names) },
        ]
      },
    }
  },
}
