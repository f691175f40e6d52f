import { feeData } from "../../payloads/fee.ts"
import { tokenFacets } from "./facets.ts"
import { factTeller, stateless } from "./stateless.ts"

export const feePoller = stateless("fee_earned", {
  fee_charge: factTeller("fee_charge", {
    mention: ({ receiver, token }, mentions) => {
      mentions.wallets.add(receiver)
      mentions.tokens.add(token)
    },
    facets: ({ receiver, token, usd }, names) => ({
      ...tokenFacets(names.token(token)),
      receiver: names.wallet(receiver),
      feeUsd: Number(usd),
    }),
    data: feeData,
  }),
})
