import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { eventTypes } from "#src/feed/model.ts"
import { actions, type ClientMessage } from "#src/streams/protocol/client.ts"
import { clientExamples } from "#src/streams/protocol/clientExamples.ts"
import { eventFrame } from "#src/streams/protocol/eventFrame.ts"
import { eventMessages, serverMessages } from "#src/streams/protocol/server.ts"
import { undocumented } from "#test/ws/support/frames.ts"

const facets = {
  wallets: [],
  tokens: [],
  conditions: [],
  side: undefined,
  size: undefined,
  status: undefined,
  onlyForWallet: false,
}

const exampleOf = (schema: Schema.Top) => {
  const [example] = Schema.resolveAnnotations(schema)?.["examples"] as ReadonlyArray<Readonly<Record<string, unknown>>>
  assert.isDefined(example)
  return example
}

describe("gateway messages", () => {
  it("all have an example that matches the schema", () => {
    for (const [name, schema] of Object.entries(serverMessages)) {
      assert.isUndefined(undocumented(exampleOf(schema)), name)
    }
  })

  it("deviations from the documentation are detected", () => {
    const example = exampleOf(serverMessages.heartbeat)
    assert.match(undocumented({ ...example, more: 1 }) ?? "", /more/)
    assert.match(undocumented({ ...example, seq: "7" }) ?? "", /seq/)
    assert.match(undocumented({ type: "unheard-of" }) ?? "", /unheard-of/)
    const ack = exampleOf(serverMessages.oracle_subscribed)
    assert.match(undocumented({ ...ack, subscription_type: "fills" }) ?? "", /epoch/)
  })

  it("events have the same envelope in the stream and in REST", () => {
    for (const type of eventTypes) {
      const example = exampleOf(eventMessages[type])
      const data = example["data"] as Readonly<Record<string, unknown>>
      const frame = eventFrame({ seq: 1_000_421, at: 1_794_700_800_000, type, facets, data })
      assert.deepStrictEqual({ ...frame }, example)
    }
  })
})

describe("client messages", () => {
  it("all examples can be parsed by the gateway", () => {
    for (const action of Object.keys(clientExamples) as Array<ClientMessage["action"]>) {
      for (const { payload, name } of clientExamples[action]) {
        const read = Schema.decodeUnknownExit<Schema.Codec<unknown>>(actions[action], { onExcessProperty: "error" })(
          payload,
        )
        assert.strictEqual(read._tag, "Success", `${action} ${name}`)
      }
    }
  })
})
