import { confirmed, type EventRenderer, type Told, unlessNull } from "../EventRenderer.ts"
import type { FactTable, Loaded } from "../Loaded.ts"
import type { Facets } from "../model.ts"
import type { Mentions, Names } from "../Names.ts"
import { conversionPayload } from "../payloads/conversion.ts"
import { mergePayload, splitPayload } from "../payloads/pairs.ts"
import { redemptionPayload } from "../payloads/redemption.ts"
import { transferPayload } from "../payloads/transfer.ts"
import type { ConversionRow, PairRow, RedemptionRow, TransferRow } from "../rows.ts"
import { tellLifecycle } from "./combos.ts"

/** How facts of one kind are told that are found by their block and log. */
export const teller = <Row>(
  table: FactTable,
  find: (loaded: Loaded, block: number, logIndex: number, data: unknown) => Row | undefined,
  mention: (row: Row, mentions: Mentions) => void,
  tell: (row: Row, names: Names) => ReadonlyArray<Told>,
): EventRenderer => ({
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.factsOf(table, Number(ref)),
  find: ({ ref, sub, data }, loaded) => {
    const row = find(loaded, Number(ref), sub ?? 0, data)
    return row && { mention: (mentions) => mention(row, mentions), tell: (names) => tell(row, names) }
  },
})

const comboOf = (condition: number, names: Names) => names.combo(names.condition(condition).id.slice(2))

const mentionPair = ({ wallet, condition }: PairRow, mentions: Mentions) => {
  mentions.wallets.add(wallet)
  mentions.conditions.add(condition)
}

const pairFacets = ({ wallet, condition, amount }: PairRow, names: Names): Facets => {
  const { id, tokens } = names.condition(condition)
  return {
    ...confirmed,
    wallets: [names.wallet(wallet)],
    tokens: tokens.map((token) => token.id),
    conditions: [id],
    size: Number(amount),
  }
}

export const tellSplit = teller<PairRow>(
  "split",
  (loaded, block, logIndex) => loaded.fact("split", block, logIndex),
  mentionPair,
  (row, names) => {
    const facets = pairFacets(row, names)
    const {
      wallets: [user = null],
      tokens: to,
    } = facets
    return [
      { type: "position_split", facets, data: splitPayload(row, names) },
      ...tellLifecycle(row, comboOf(row.condition, names), facets, {
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

export const tellMerge = teller<PairRow>(
  "merge",
  (loaded, block, logIndex) => loaded.fact("merge", block, logIndex),
  mentionPair,
  (row, names) => {
    const facets = pairFacets(row, names)
    const {
      wallets: [user = null],
      tokens: from,
    } = facets
    return [
      { type: "position_merge", facets, data: mergePayload(row, names) },
      ...tellLifecycle(row, comboOf(row.condition, names), facets, {
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

export const tellRedemption = teller<RedemptionRow>(
  "redemption",
  (loaded, block, logIndex) => loaded.fact("redemption", block, logIndex),
  ({ wallet, condition, tokens }, mentions) => {
    mentions.wallets.add(wallet)
    mentions.conditions.add(condition)
    for (const token of tokens) mentions.tokens.add(token)
  },
  (row, names) => {
    const facets: Facets = {
      ...confirmed,
      wallets: [names.wallet(row.wallet)],
      tokens: row.tokens.map((token) => names.token(token).id),
      conditions: [names.condition(row.condition).id],
      size: Number(row.payout),
    }
    return [
      { type: "redemption", facets, data: redemptionPayload(row, names) },
      ...tellLifecycle(row, comboOf(row.condition, names), facets, {
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

export const tellConversion = teller<ConversionRow>(
  "conversion",
  (loaded, block, logIndex) => loaded.fact("conversion", block, logIndex),
  ({ wallet, nos, yeses }, mentions) => {
    mentions.wallets.add(wallet)
    for (const token of nos) mentions.tokens.add(token)
    for (const token of yeses) mentions.tokens.add(token)
  },
  (row, names) => {
    const tokens = [...row.nos, ...row.yeses].map(names.token)
    const facets: Facets = {
      ...confirmed,
      wallets: [names.wallet(row.wallet)],
      tokens: tokens.map(({ id }) => id),
      conditions: tokens.flatMap(({ condition }) => unlessNull(condition)),
      size: Number(row.amount),
    }
    return [{ type: "positions_converted", facets, data: conversionPayload(row, names) }]
  },
)

export const tellTransfer = teller<TransferRow>(
  "transfer",
  // Told only where it is not the first of its log.
  (loaded, block, logIndex, data) =>
    loaded.fact("transfer", block, logIndex, (data as { readonly sub: number } | null)?.sub),
  ({ sender, receiver, token }, mentions) => {
    mentions.wallets.add(sender)
    mentions.wallets.add(receiver)
    mentions.tokens.add(token)
  },
  (row, names) => {
    const token = names.token(row.token)
    const facets: Facets = {
      ...confirmed,
      wallets: [names.wallet(row.sender), names.wallet(row.receiver)],
      tokens: [token.id],
      conditions: unlessNull(token.condition),
    }
    return [
      { type: "position_change", facets, data: transferPayload(row, names) },
      ...tellLifecycle(row, names.combo(token.hex), facets, {
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
