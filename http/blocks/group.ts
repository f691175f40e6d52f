import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { paidOnly } from "../access/Rule.ts"
import { describe } from "../openapi/describe.ts"
import { BadInput, Conflict, NotFound, Unavailable } from "../server/errors.ts"
import { RangeReceipt, Receipt } from "./shapes.ts"

export const maxBlocks = 100

const BlockNumber = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))

const errors = [BadInput, NotFound, Conflict, Unavailable] as const

const receipt = HttpApiEndpoint.get("receipt", "/v1/blocks/:number/receipt", {
  params: { number: BlockNumber.annotate({ description: "block number" }) },
  success: Receipt,
  error: errors,
}).annotateMerge(
  describe(
    "Completeness receipt of a block",
    "/v1/blocks/$BLOCK/receipt",
    `Proves that nothing of a block is missing. The logs of the venue's contracts are read from the node again and compared with the ledger: how many
there are, which facts follow from them, and which facts the ledger has. \`log_root\` commits to the logs, so that you can compare it with your own
node: get the logs of \`contracts\` in the block, in order. A leaf is \`keccak256(0x00 ‖ rlp([address, topics, data]))\`, a node
\`keccak256(0x01 ‖ left ‖ right)\`; the last one of an odd level moves up unchanged. Without logs the root is zero.`,
  ),
)

const receipts = HttpApiEndpoint.get("receipts", "/v1/blocks/receipts", {
  query: {
    from: BlockNumber.annotate({ description: "first block" }),
    to: BlockNumber.annotate({ description: `last block, at most ${maxBlocks - 1} after the first` }),
  },
  success: RangeReceipt,
  error: errors,
}).annotateMerge(
  describe(
    "Completeness receipt of a range of blocks",
    "/v1/blocks/receipts?from=$BLOCK&to=$BLOCK",
    `The receipts of up to ${maxBlocks} blocks and their sums. The \`log_root\` of the range is the root of the same tree over the roots of its blocks.`,
  ),
)

export class BlocksGroup extends HttpApiGroup.make("blocks")
  .add(receipt, receipts)
  .annotateEndpointsMerge(paidOnly({ heavy: true }))
  .annotateMerge(OpenApi.annotations({ title: "Blocks", description: "Proofs that the ledger is complete." })) {}
