import { Result, Schema } from "effect"
import { eventTypeInfos } from "./eventTypes.ts"
import type { ConfirmationLevel, WebhookEventType } from "./model.ts"

/** Blocks that follow a fact's block, at least, or that it is final. */
export const Confirmations = Schema.Union([Schema.Int, Schema.Literal("finalized")])
export type Confirmations = typeof Confirmations.Type

/** As clients see a level; `standard` is the setting `webhooks.confirmations`. */
export const confirmationsOf = (level: ConfirmationLevel, standard: number): Confirmations =>
  level === "finalized" ? level : level === "included" ? 0 : standard

/** A webhook cannot have these confirmations. */
export class ConfirmationsRefused extends Schema.TaggedError<ConfirmationsRefused>()("ConfirmationsRefused", {
  reason: Schema.String,
  field: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.reason
  }
}

const refused = (reason: string, hint: string) =>
  Result.fail(new ConfirmationsRefused({ reason, field: "confirmations", hint }))

/** The level that a client asks for. */
export const levelOf = (
  given: Confirmations | undefined,
  standard: number,
): Result.Result<ConfirmationLevel, ConfirmationsRefused> => {
  if (given === undefined || given === standard) return Result.succeed("confirmed")
  if (given === 0) return Result.succeed("included")
  if (given === "finalized") return Result.succeed(given)
  return refused(
    `Field "confirmations": expected 0, ${standard} or "finalized", got ${given}.`,
    `0 sends facts once they are in a block, ${standard} once so many blocks follow, "finalized" once they are final.`,
  )
}

/** Validates that every type can be delivered at a level. */
export const checkLevel = (
  types: ReadonlyArray<WebhookEventType>,
  level: ConfirmationLevel,
  standard: number,
): Result.Result<ConfirmationLevel, ConfirmationsRefused> => {
  const refusing = types.find((type) => !eventTypeInfos[type].levels.includes(level))
  if (refusing === undefined) return Result.succeed(level)
  const possible = eventTypeInfos[refusing].levels.map((each) => JSON.stringify(confirmationsOf(each, standard)))
  return refused(
    `${refusing} cannot be delivered with "confirmations": ${JSON.stringify(confirmationsOf(level, standard))}.`,
    `${refusing} accepts ${possible.join(" and ")}. Use a separate webhook for it.`,
  )
}

/** A level is chosen once: another one would repeat or skip what lies between. */
export const cannotChange = refused(
  'Field "confirmations" cannot be changed.',
  "Create another webhook, and delete this one when the other has taken over.",
)
