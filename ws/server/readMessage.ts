import { Record, Result, Schema } from "effect"
import { firstProblem, tidyMessage } from "#src/platform/text/schemaProblem.ts"
import { actions, type ClientMessage, Filters } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { structureProblem } from "./structureProblem.ts"

const strict = { onExcessProperty: "error" } as const

const decoders = Record.map(actions, (schema) =>
  Schema.decodeUnknownResult(schema as Schema.Codec<ClientMessage>, strict),
)
const isAction = (text: unknown): text is ClientMessage["action"] =>
  typeof text === "string" && Object.hasOwn(actions, text)
const known = Object.keys(actions).join(", ")

export const refused = (
  message: string,
  code: "invalid_json" | "invalid_message" | "input_too_large" = "invalid_message",
) => Result.fail(new Refusal({ code, message }))

/** Where an unknown field belongs, if it is the name of another part of the message. */
const placeOf = (action: ClientMessage["action"], [first, second]: ReadonlyArray<PropertyKey>): string => {
  const fields = actions[action].fields
  if (!("filters" in fields)) return ""
  if (second === undefined && String(first) in Filters.fields) return ": it belongs inside filters"
  return first === "filters" && String(second) in fields ? ": it belongs beside filters, not inside" : ""
}

const describe = (action: ClientMessage["action"], path: ReadonlyArray<PropertyKey>, message: string): string => {
  const field = path.map(String).join(".")
  if (message === "Missing key") return `${field} is missing`
  if (message === "Expected no excess property") return `${field} is not known here${placeOf(action, path)}`
  return field === "" ? tidyMessage(message) : `${field}: ${tidyMessage(message)}`
}

/** The parsed JSON of a message whose action exists; nothing else has been checked. */
export interface RawMessage {
  readonly action: ClientMessage["action"]
}

export const parseMessage = (text: string): Result.Result<RawMessage, Refusal> => {
  const problem = structureProblem(text)
  if (problem !== undefined) return refused(problem, "input_too_large")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refused("the message is not JSON", "invalid_json")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refused(`a message is an object, e.g. {"action":"subscribe","type":"fills"}`)
  const action: unknown = Reflect.get(value, "action")
  if (!isAction(action)) return refused(`action must be one of ${known}`)
  return Result.succeed(value as RawMessage)
}

/** `pathOf` changes the path of a problem before it is described. */
export const decodeMessage = (
  message: RawMessage,
  pathOf = (path: ReadonlyArray<PropertyKey>) => path,
): Result.Result<ClientMessage, Refusal> =>
  Result.mapError(decoders[message.action](message), (error) => {
    const problem = firstProblem(error)
    const text = describe(message.action, pathOf(problem.path), problem.message)
    return new Refusal({ code: text.includes("at most") ? "input_too_large" : "invalid_message", message: text })
  })

/** Reads a client message. */
export const readMessage = (text: string): Result.Result<ClientMessage, Refusal> =>
  Result.flatMap(parseMessage(text), (message) => decodeMessage(message))
