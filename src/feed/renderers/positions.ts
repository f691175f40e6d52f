import { mostWorthOf, shares, usdc, worthOfPairs } from "#src/domain/amounts.ts"
import { moduleOperations } from "#src/domain/ComboKind.ts"
import { confirmedFacets, factRenderer, fromNullable } from "../EventRenderer.ts"
import type { Facets } from "../filters/Facets.ts"
import type { Mentions, Names } from "../Names.ts"
import { operationActions } from "../payloads/combos.ts"
import {
  conversionPayload,
  mergePayload,
  redemptionPayload,
  splitPayload,
  transferPayload,
} from "../payloads/positions.ts"
import type { ComboRow, ConversionRow, PairRow, RedemptionRow, TransferRow } from "../rows.ts"
import { renderLifecycle } from "./combos.ts"

const comboOf = (condition: number, names: Names) => names.combo(names.condition(condition).id.slice(2))

const mentionPair = ({ wallet, condition }: PairRow, mentions: Mentions) => {
  mentions.wallets.add(wallet)
  mentions.conditions.add(condition)
}

const pairFacets = ({ wallet, condition, amount }: PairRow, names: Names): Facets => {
  const { id, tokens } = names.condition(condition)
  return {
    ...confirmedFacets,
    wallets: [names.wallet(wallet)],
    tokens: tokens.map((token) => token.id),
    conditions: [id],
    size: worthOfPairs(shares(Number(amount))),
  }
}

export const renderSplit = factRenderer<PairRow>(
  "split",
  (rows, block, logIndex) => rows.fact("split", block, logIndex),
  mentionPair,
  (row, names) => {
    const facets = pairFacets(row, names)
    const {
      wallets: [user = null],
      tokens: to,
    } = facets
    return [
      { type: "position_split", facets, data: splitPayload(row, names) },
      ...renderLifecycle(row, comboOf(row.condition, names), facets, {
        action: "Split",
        user,
        from: [],
        to,
        amount: row.amount,
        payout: null,
      }),
    ]
  },
)

export const renderMerge = factRenderer<PairRow>(
  "merge",
  (rows, block, logIndex) => rows.fact("merge", block, logIndex),
  mentionPair,
  (row, names) => {
    const facets = pairFacets(row, names)
    const {
      wallets: [user = null],
      tokens: from,
    } = facets
    return [
      { type: "position_merge", facets, data: mergePayload(row, names) },
      ...renderLifecycle(row, comboOf(row.condition, names), facets, {
        action: "Merge",
        user,
        from,
        to: [],
        amount: row.amount,
        payout: row.amount,
      }),
    ]
  },
)

export const renderRedemption = factRenderer<RedemptionRow>(
  "redemption",
  (rows, block, logIndex) => rows.fact("redemption", block, logIndex),
  ({ wallet, condition, tokens }, mentions) => {
    mentions.wallets.add(wallet)
    mentions.conditions.add(condition)
    for (const token of tokens) mentions.tokens.add(token)
  },
  (row, names) => {
    const facets: Facets = {
      ...confirmedFacets,
      wallets: [names.wallet(row.wallet)],
      tokens: row.tokens.map((token) => names.token(token).id),
      conditions: [names.condition(row.condition).id],
      size: usdc(Number(row.payout)),
    }
    return [
      { type: "redemption", facets, data: redemptionPayload(row, names) },
      ...renderLifecycle(row, comboOf(row.condition, names), facets, {
        action: "Redeem",
        user: names.wallet(row.wallet),
        from: facets.tokens,
        to: [],
        amount: row.shares.reduce((sum, each) => sum + each, 0n),
        payout: row.payout,
      }),
    ]
  },
)

export const renderConversion = factRenderer<ConversionRow>(
  "conversion",
  (rows, block, logIndex) => rows.fact("conversion", block, logIndex),
  ({ wallet, nos, yeses }, mentions) => {
    mentions.wallets.add(wallet)
    for (const token of nos) mentions.tokens.add(token)
    for (const token of yeses) mentions.tokens.add(token)
  },
  (row, names) => {
    const tokens = [...row.nos, ...row.yeses].map(names.token)
    const facets: Facets = {
      ...confirmedFacets,
      wallets: [names.wallet(row.wallet)],
      tokens: tokens.map(({ id }) => id),
      conditions: tokens.flatMap(({ condition }) => fromNullable(condition)),
      size: mostWorthOf(shares(Number(row.amount))),
    }
    const combos = tokens.flatMap(({ combo }) => combo ?? [])
    const operation = moduleOperations[row.operation ?? -1] ?? "convert"
    return [
      { type: "positions_converted", facets, data: conversionPayload(row, names) },
      ...renderLifecycle(row, combos[0], facets, {
        action: operationActions[operation],
        user: names.wallet(row.wallet),
        from: row.nos.map((token) => names.token(token).id),
        to: row.yeses.map((token) => names.token(token).id),
        amount: row.amount,
        payout: row.paid === 0n ? null : row.paid,
        remaining: operation === "compress" ? combos[1] : undefined,
      }),
    ]
  },
)

export const renderTransfer = factRenderer<TransferRow>(
  "transfer",
  (rows, block, logIndex, sub) => rows.fact("transfer", block, logIndex, sub),
  ({ sender, receiver, token }, mentions) => {
    mentions.wallets.add(sender)
    mentions.wallets.add(receiver)
    mentions.tokens.add(token)
  },
  (row, names) => {
    const token = names.token(row.token)
    const facets: Facets = {
      ...confirmedFacets,
      wallets: [names.wallet(row.sender), names.wallet(row.receiver)],
      tokens: [token.id],
      conditions: fromNullable(token.condition),
    }
    return [
      { type: "position_change", facets, data: transferPayload(row, names) },
      ...renderLifecycle(row, names.combo(token.hex), facets, {
        action: "Transfer",
        user: names.wallet(row.sender),
        from: [token.id],
        to: [token.id],
        amount: row.shares,
        payout: null,
      }),
    ]
  },
)

/** A new combo is created. */
export const renderCombo = factRenderer<ComboRow>(
  "combo",
  (rows, block, logIndex) => rows.fact("combo", block, logIndex),
  ({ condition }, mentions) => mentions.conditions.add(condition),
  (row, names) => {
    const { id, tokens } = names.condition(row.condition)
    const facets = { ...confirmedFacets, tokens: tokens.map((token) => token.id), conditions: [id] }
    const nothing = { from: [], to: [], amount: null, payout: null }
    return renderLifecycle(row, names.combo(id.slice(2)), facets, { action: "Prepare", user: null, ...nothing })
  },
)
