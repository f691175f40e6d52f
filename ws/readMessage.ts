import { Result, Schema } from "effect"
import { problemOf, tidy } from "#src/platform/text/schemaProblem.ts"
import { actions, type ClientMessage } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"

const strict = { onExcessProperty: "error" } as const

const decoders = Object.fromEntries(
  Object.entries(actions).map(([action, schema]) => [
    action,
    Schema.decodeUnknownResult(schema as Schema.Codec<ClientMessage>, strict),
  ]),
)
const known = Object.keys(actions).join(", ")

const refused = (message: string, code: "invalid_json" | "invalid_message" | "input_too_large" = "invalid_message") =>
  Result.fail(new Refusal({ code, message }))

const wordsFor = (error: Schema.SchemaError): string => {
  const { path, message } = problemOf(error)
  const place = path.map(String).join(".")
  if (message === "Missing key") return `${place} is missing`
  if (message === "Expected no excess property") return `${place} is not known here`
  return place === "" ? tidy(message) : `${place}: ${tidy(message)}`
}

/** What a client said, or why nobody knows. */
export const readMessage = (text: string): Result.Result<ClientMessage, Refusal> => {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return refused("this is not JSON", "invalid_json")
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return refused(`a message is an object such as {"action":"subscribe","type":"fills"}`)
  const action: unknown = Reflect.get(given, "action")
  const decode = typeof action === "string" && Object.hasOwn(decoders, action) ? decoders[action] : undefined
  if (decode === undefined) return refused(`action must be one of ${known}`)
  return Result.mapError(decode(given), (error) => {
    const message = wordsFor(error)
    return new Refusal({ code: message.includes("at most") ? "input_too_large" : "invalid_message", message })
  })
}
