import { Result, Schema } from "effect"
import { firstProblem, tidyMessage } from "#src/platform/text/schemaProblem.ts"
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

const describe = (error: Schema.SchemaError): string => {
  const { path, message } = firstProblem(error)
  const field = path.map(String).join(".")
  if (message === "Missing key") return `${field} is missing`
  if (message === "Expected no excess property") return `${field} is not known here`
  return field === "" ? tidyMessage(message) : `${field}: ${tidyMessage(message)}`
}

/** Parses a client message. */
export const readMessage = (text: string): Result.Result<ClientMessage, Refusal> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refused("the message is not JSON", "invalid_json")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refused(`a message is an object, e.g. {"action":"subscribe","type":"fills"}`)
  const action: unknown = Reflect.get(value, "action")
  const decode = typeof action === "string" && Object.hasOwn(decoders, action) ? decoders[action] : undefined
  if (decode === undefined) return refused(`action must be one of ${known}`)
  return Result.mapError(decode(value), (error) => {
    const message = describe(error)
    return new Refusal({ code: message.includes("at most") ? "input_too_large" : "invalid_message", message })
  })
}
