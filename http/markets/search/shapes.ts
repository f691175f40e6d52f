import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { matches } from "#src/search/question.ts"
import { envelopeFields } from "../../v3/answer.ts"
import { Market } from "../shapes.ts"

export const FoundMarket = Schema.Struct({
  ...Market.fields,
  match: Schema.Literals(matches).annotate({
    description:
      "exact: the question, slug or title is the query; phrase: has its words in this order; words: has all words; prefix: the last word goes on; similar: words with typos; some: all words but one",
  }),
}).annotate({ identifier: "FoundMarket" })

export const FoundMarketPage = Schema.Struct({
  query: Schema.String.annotate({ description: "The words that were looked for" }),
  data: Schema.Array(FoundMarket),
  ...envelopeFields,
  coverage: CoverageField,
}).annotate({ identifier: "FoundMarketPage" })
