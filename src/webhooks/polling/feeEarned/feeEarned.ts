import { exactAmount, usdc } from "#src/domain/amounts.ts"
import type { Names } from "#src/feed/Names.ts"
import type { FeeRow } from "#src/feed/rows.ts"
import type { FeeEarnedData } from "../../payloadSchemas.ts"
import { tokenFacets } from "../facets.ts"
import { chainFields, eventOf, marketOfToken, timestampOf } from "../payloadFields.ts"
import { factRenderer, stateless } from "../stateless.ts"

export const feeData = (row: FeeRow, names: Names): FeeEarnedData => {
  const token = names.token(row.token)
  return {
    receiver: names.wallet(row.receiver),
    fee_usd: exactAmount(row.usd),
    token_id: token.id,
    ...marketOfToken(token),
    ...eventOf(token.info),
    order_hash: `0x${row.order_hash}`,
    ...chainFields(row),
    timestamp: timestampOf(row),
  }
}

export const feePoller = stateless("fee_earned", {
  fee_charge: factRenderer("fee_charge", {
    mention: ({ receiver, token }, mentions) => {
      mentions.wallets.add(receiver)
      mentions.tokens.add(token)
    },
    facets: ({ receiver, token, usd }, names) => ({
      ...tokenFacets(names.token(token)),
      receiver: names.wallet(receiver),
      fee: usdc(Number(usd)),
    }),
    data: feeData,
  }),
})
