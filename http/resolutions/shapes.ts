import { Schema } from "effect"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { textOrNull } from "../openapi/described.ts"
import { envelopeFields } from "../v3/answer.ts"

const unknown = textOrNull("Always null: the ledger has no steps of the oracle")

export const Resolution = Schema.Struct({
  condition_id: Schema.String,
  question: textOrNull("Question of the market; null while it is not listed, as are the other names"),
  slug: textOrNull("Slug of the market"),
  outcomes: Schema.Array(Schema.String).annotate({ description: "Empty while the market is not listed" }),
  category: textOrNull("Category of the event"),
  payout_numerators: Schema.Array(Schema.String).annotate({
    description: "What each outcome pays, in parts of `payout_denominator`",
  }),
  payout_denominator: Schema.String,
  winning_outcome_index: Schema.NullOr(Schema.Int).annotate({ description: "Null if several outcomes pay" }),
  resolved_at: Schema.String.annotate({ description: "Time of the block, ISO 8601" }),
  created_at: textOrNull("When the venue created the market, ISO 8601"),
  proposer: unknown,
  disputer: unknown,
  settler: unknown,
  transaction_hash: Schema.String,
  block_number: Schema.Int,
  log_index: Schema.Int,
}).annotate({ identifier: "Resolution" })

export const ResolutionList = Schema.Struct({
  data: Schema.Array(Resolution),
  ...envelopeFields,
  coverage: CoverageField,
}).annotate({ identifier: "ResolutionList" })
