import { Schema } from "effect"
import { serverMessages } from "#src/streams/protocol/server.ts"

/** Schemas by type on the wire; acknowledgements differ by stream. */
const byType = new Map<string, Array<readonly [string, Schema.Codec<unknown>]>>()
for (const [name, schema] of Object.entries(serverMessages)) {
  const type = name === "fill" ? "event" : name.replace(/^(oracle|orderbook)_subscribed$/, "subscribed")
  byType.set(type, [...(byType.get(type) ?? []), [name, schema]])
}

const isNamed = (name: string, frame: Readonly<Record<string, unknown>>) =>
  frame["type"] !== "subscribed" ||
  name ===
    (["oracle", "orderbook"].includes(String(frame["subscription_type"]))
      ? `${frame["subscription_type"]}_subscribed`
      : "subscribed")

/** Describes how a gateway frame deviates from the documentation; undefined if it does not. */
export const undocumented = (frame: Readonly<Record<string, unknown>>): string | undefined => {
  const [, schema] = byType.get(String(frame["type"]))?.find(([name]) => isNamed(name, frame)) ?? []
  if (schema === undefined) return `no message of type ${String(frame["type"])} is documented`
  const read = Schema.decodeUnknownExit(schema, { onExcessProperty: "error", errors: "all" })(frame)
  return read._tag === "Success" ? undefined : `${JSON.stringify(frame)}: ${String(read.cause)}`
}
