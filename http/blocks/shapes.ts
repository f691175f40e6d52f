import { Schema } from "effect"
import { factKinds } from "#src/ledger/factRows.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Hash = Schema.String.annotate({ description: "0x and 64 hexadecimal digits" })

const Counts = Schema.Record(Schema.Literals(factKinds), Schema.optionalKey(Count))

const Unexplained = Schema.Struct({
  block: Count,
  address: Schema.String,
  topic: Schema.String,
  log_index: Count,
}).annotate({ identifier: "Unexplained" })

const sums = {
  logs: Count.annotate({ description: "Logs of the venue's contracts" }),
  facts: Counts.annotate({ description: "Facts that follow from the logs, by kind; kinds without facts are left out" }),
  stored: Counts.annotate({ description: "Facts that the ledger has" }),
  covered: Count.annotate({
    description: "Logs without a fact of their own: facts of other logs cover them, or they change nothing",
  }),
  unexplained: Schema.Array(Unexplained).annotate({ description: "Logs that are not understood" }),
  complete: Schema.Boolean.annotate({
    description: "Whether every log is understood and the ledger has exactly the facts that follow from the logs",
  }),
  log_root: Hash.annotate({ description: "Root over the logs" }),
}

const contracts = Schema.Array(Schema.String).annotate({ description: "Addresses of the venue's contracts" })

const block = {
  block: Count,
  hash: Hash,
  timestamp: Count.annotate({ description: "Unix seconds" }),
  finalized: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether the node says that the block cannot be replaced any more; null if it does not say",
  }),
  ...sums,
}

export const Receipt = Schema.Struct({ ...block, contracts }).annotate({ identifier: "Receipt" })

export const RangeReceipt = Schema.Struct({
  from: Count,
  to: Count,
  ...sums,
  contracts,
  blocks: Schema.Array(Schema.Struct(block)),
}).annotate({ identifier: "RangeReceipt" })
