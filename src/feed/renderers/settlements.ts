import { usdc } from "#src/domain/amounts.ts"
import { sideOf } from "../amounts.ts"
import { type EventRenderer, fromNullable, type RenderedMessage } from "../EventRenderer.ts"
import type { Facets } from "../filters/Facets.ts"
import type { Mentions, Names } from "../Names.ts"
import { pendingFillPayload } from "../payloads/fills.ts"
import { type StatusChange, settlementPayload, statusPayload } from "../payloads/settlements.ts"
import type { OrderRow, SettlementRow } from "../rows.ts"
import { renderExecution, renderExecutionStatus } from "./combos.ts"
import { mentionFill } from "./fills.ts"

const mention = ({ condition, orders }: SettlementRow, mentions: Mentions) => {
  mentions.conditions.add(condition)
  for (const { maker, token } of orders) {
    mentions.wallets.add(maker)
    mentions.tokens.add(token)
  }
}

const facetsOf = (
  { condition, orders }: SettlementRow,
  taker: OrderRow,
  status: Facets["status"],
  names: Names,
): Facets => {
  const tokens = [...new Set(orders.map(({ token }) => token))].map(names.token)
  const conditions = tokens.flatMap((token) => fromNullable(token.condition))
  return {
    wallets: [...new Set(orders.map(({ maker }) => names.wallet(maker)))],
    tokens: tokens.map(({ id }) => id),
    conditions: [...new Set([names.condition(condition).id, ...conditions])],
    side: sideOf(taker.side),
    size: usdc(Number(taker.usd)),
    status,
    onlyForWallet: false,
  }
}

/** Rendered as soon as the match is seen. */
const pendingFill = (settlement: SettlementRow, order: OrderRow, names: Names): RenderedMessage => {
  const token = names.token(order.token)
  return {
    type: "fill",
    facets: {
      wallets: [names.wallet(order.maker)],
      tokens: [token.id],
      conditions: fromNullable(token.condition),
      side: sideOf(order.side),
      size: usdc(Number(order.usd)),
      status: "pending",
      onlyForWallet: order === settlement.orders[0],
    },
    data: pendingFillPayload(settlement, order, names),
  }
}

export const renderSettlement: EventRenderer = {
  needs: ({ ref }, needs) => {
    if (ref !== null) needs.settlements.add(ref)
  },
  find: ({ ref }, rows) => {
    const settlement = rows.settlement(ref ?? 0n)
    const taker = settlement?.orders[0]
    if (settlement === undefined || taker === undefined) return undefined
    return {
      mention: (mentions) => mention(settlement, mentions),
      render: (names) => {
        const facets = facetsOf(settlement, taker, "pending", names)
        return [
          { type: "settlement", facets, data: settlementPayload(settlement, taker, names) },
          ...settlement.orders.map((order) => pendingFill(settlement, order, names)),
          ...renderExecution(settlement, taker, facets, names),
        ]
      },
    }
  },
}

export const renderSettlementStatus: EventRenderer = {
  needs: ({ ref, data }, needs) => {
    if (ref !== null) needs.settlements.add(ref)
    const { block } = data as StatusChange
    if (block !== null) needs.facts("fill", block)
  },
  find: ({ ref, data }, rows, isRetracted) => {
    const settlement = rows.settlement(ref ?? 0n)
    const taker = settlement?.orders[0]
    if (settlement === undefined || taker === undefined) return undefined
    const change = data as StatusChange
    const { block, status } = change
    const fills = block === null || isRetracted(BigInt(block)) ? undefined : rows.fillsOf(settlement.tx, block)
    return {
      mention: (mentions) => {
        mention(settlement, mentions)
        for (const fill of fills ?? []) mentionFill(fill, mentions)
      },
      render: (names) => {
        const facets = facetsOf(settlement, taker, status === "dropped" ? undefined : status, names)
        return [
          { type: "status_update", facets, data: statusPayload(settlement, taker, change, fills, names) },
          ...renderExecutionStatus(settlement, taker, change, fills, facets, names),
        ]
      },
    }
  },
}
