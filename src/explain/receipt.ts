import { Effect, Schema } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { MalformedAnswer } from "#src/upstream/chain/failures.ts"
import { configuredNodes } from "#src/upstream/chain/nodes.ts"
import { TransactionLogs } from "./scenario.ts"

export class UnknownTransaction extends Schema.TaggedError<UnknownTransaction>()("UnknownTransaction", {
  hash: Schema.String,
}) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return `the node does not know transaction ${this.hash}, or it is not in a block yet`
  }
}

const Receipt = Schema.NullOr(
  Schema.Struct({ transactionHash: Schema.String, blockNumber: Schema.String, logs: TransactionLogs.fields.logs }),
)

/** The logs of a transaction, as the node has them. */
export const receiptOf = Effect.fn("Explain.receipt")(function* (hash: string) {
  const { run } = yield* configuredNodes
  const answer = yield* run((node) => node.call("eth_getTransactionReceipt", [hash]))
  const receipt = yield* Schema.decodeUnknownEffect(Receipt)(answer).pipe(
    Effect.mapError((error) => new MalformedAnswer({ detail: `receipt: ${error.message}` })),
  )
  if (receipt === null) return yield* new UnknownTransaction({ hash })
  const { transactionHash, blockNumber, logs } = receipt
  return { hash: transactionHash, blockNumber, logs }
}, Effect.scoped)
