import { readFileSync } from "node:fs"
import { Effect, Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { explain } from "#src/explain/explain.ts"
import { receiptOf } from "#src/explain/receipt.ts"
import { explanationJson, explanationText } from "#src/explain/rendering.ts"
import { Scenario } from "#src/explain/scenario.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { configured, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { print, printJson } from "./print.ts"
import { venueToAsk } from "./runningInstance.ts"

export class NothingToExplain extends Schema.TaggedError<NothingToExplain>()("NothingToExplain", {
  detail: Schema.String,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.detail
  }
}

const hash = Argument.String("hash").pipe(
  Argument.withDescription("Hash of a transaction, 0x and 64 hexadecimal digits; read from the node"),
  Argument.optional,
)

const file = Flag.String("file").pipe(
  Flag.withDescription('JSON file with {"transactions": […]}, each with hash, blockNumber and logs; needs no node'),
  Flag.optional,
)

const isHash = /^0x[0-9a-f]{64}$/i

const readScenario = (path: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(readFileSync(path, "utf8")),
    // The message quotes the file, which may be of any kind.
    catch: (error) =>
      new NothingToExplain({ detail: `cannot read ${path}: ${(error as Error).message.replace(/\p{Cc}/gu, "�")}` }),
  }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Scenario)),
    Effect.catchTag("SchemaError", (error) =>
      Effect.fail(
        new NothingToExplain({
          detail: `${path} must be {"transactions": [{"hash", "blockNumber", "logs"}, …]} with logs as a node returns them: ${error.message}`,
        }),
      ),
    ),
  )

const node = UpstreamHttp.layer.pipe(Layer.provideMerge(Endpoints.layer), Layer.provideMerge(venueToAsk))

const readNode = (given: string) =>
  isHash.test(given)
    ? Effect.map(Effect.provide(receiptOf(given.toLowerCase()), node), (receipt) => ({ transactions: [receipt] }))
    : Effect.fail(
        new NothingToExplain({ detail: `"${given}" is not a transaction hash: expected 0x and 64 hexadecimal digits` }),
      )

export const explainTx = Command.make("explain-tx", { hash, file, json, set }, (flags) =>
  Effect.gen(function* () {
    const usage = new NothingToExplain({ detail: "give the hash of a transaction, or --file with its logs" })
    const scenario = Option.isSome(flags.file)
      ? readScenario(flags.file.value)
      : Option.match(flags.hash, { onNone: () => Effect.fail(usage), onSome: readNode })
    const explanation = explain(yield* scenario)
    yield* flags.json ? printJson(explanationJson(explanation)) : print(explanationText(explanation))
  }).pipe(Effect.provide(configured(flags.set))),
).pipe(Command.withDescription(descriptions["explain-tx"]))
