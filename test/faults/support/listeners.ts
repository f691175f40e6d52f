import { Effect, Redacted } from "effect"
import type { FeedMessage } from "#src/feed/model.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { poll } from "#src/platform/embedded/waiting.ts"
import { ledgerOf } from "#test/webhooks/support/ledger.ts"
import { receiver } from "#test/webhooks/support/receiver.ts"
import { differenceToLog, expectsMessage, type SubscribedStream } from "#test/ws/support/copyDifferences.ts"
import { EventCopy } from "#test/ws/support/eventCopy.ts"
import { ResumingClient, type StreamCopy } from "#test/ws/support/resumingClient.ts"
import { canonicalFills, everPublished } from "./ledger.ts"
import type { Venue } from "./venue.ts"

const streams: ReadonlyArray<SubscribedStream> = [
  { type: "fills" },
  { type: "trades" },
  { type: "redemptions" },
  { type: "blocks" },
]
const path = "/ok/faults"

/** A service to listen to, and the venue that it follows. */
export interface Listened {
  readonly api: string
  /** Address of its gateway. */
  readonly streams: string
  readonly venue: Venue
}

/** The newest seq that a copy has received. */
const notingNewest = (copy: EventCopy) => {
  const noting = { newest: 0 }
  const noted: StreamCopy = {
    requests: () => copy.requests(),
    isCaughtUp: () => copy.isCaughtUp(),
    receive: (message) => {
      noting.newest = Math.max(noting.newest, Number(message["seq"] ?? 0))
      return copy.receive(message)
    },
  }
  return { noting, noted }
}

const countOf = (text: string, word: string) => Number(new RegExp(`${word} (\\d+)`).exec(text)?.[1] ?? 0)

const createHook = (api: string, key: string, url: string) =>
  Effect.promise(async () => {
    const body = JSON.stringify({ url, event_types: ["trade"], confirmations: 0 })
    const headers = { "x-api-key": key, "content-type": "application/json" }
    const answer = await fetch(`${api}/v3/webhooks`, { method: "POST", headers, body })
    if (!answer.ok) throw new Error(`no webhook: ${answer.status} ${await answer.text()}`)
  })

/** A subscriber and a receiver of webhooks who expect every event exactly once. */
export const startListeners = Effect.fnUntraced(function* ({ api, streams: address, venue }: Listened) {
  const keys = yield* Keys
  const key = Redacted.value((yield* keys.open("enterprise", KeyName.make("faults"))).key)
  const endpoint = yield* receiver()
  const { head: since } = yield* venue.state
  yield* createHook(api, key, endpoint.url(path))

  const copy = new EventCopy(streams)
  const { noting, noted } = notingNewest(copy)
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = new ResumingClient("subscriber", [`${address}/ws?key=${key}`], noted)
      made.start()
      return made
    }),
    (made) => Effect.sync(() => made.stop()),
  )
  const isExpected: (message: FeedMessage) => boolean = expectsMessage(streams)

  const trades = new Map<string, { readonly block: number; readonly place: string }>()
  let read = 0
  const tradesReceived = () => {
    const all = endpoint.received()
    for (; read < all.length; read++) {
      const { data } = JSON.parse(String(all[read]?.body)) as { data: Record<string, unknown> }
      const { transaction_hash: transaction, order_hash: order, block_number: block, log_index: index } = data
      trades.set(`${transaction} ${order}`, { block: Number(block), place: `${block} ${index}` })
    }
    return trades
  }

  let [repeatedBefore, faultsBefore] = [0, 0]
  return {
    key,
    newestSeq: () => noting.newest,
    newestTrade: () => Math.max(0, ...[...tradesReceived().values()].map(({ block }) => block)),
    refusals: () => client.refusals,
    /** What they lack, have twice or should not have, once all of it had time to arrive. */
    judge: (forMillis: number) =>
      Effect.gen(function* () {
        let difference = ""
        let missing: ReadonlyArray<string> = []
        // Blocks that are just being written when the webhook is created are no promise.
        const expected = yield* canonicalFills(since + 3)
        yield* poll(
          Effect.gen(function* () {
            difference = yield* differenceToLog(copy, isExpected)
            const received = tradesReceived()
            missing = expected.filter((id) => !received.has(id))
            return difference === "" && missing.length === 0 ? true : undefined
          }),
          { forMillis, everyMillis: 300 },
        )
        const published = yield* everPublished
        const invented = [...tradesReceived().values()].filter(({ place }) => !published.has(place))
        const { duplicates, differing } = ledgerOf(endpoint.received())
        const [faults, repeated] = [copy.faults.slice(faultsBefore), duplicates - repeatedBefore]
        ;[repeatedBefore, faultsBefore] = [duplicates, copy.faults.length]
        const isAgain = (fault: string) => /twice|again/.test(fault)
        return {
          lost: countOf(difference, "missing") + missing.length,
          twice: faults.filter(isAgain).length,
          repeated,
          wrong: [
            ...(difference === "" ? [] : [`stream: ${difference}`]),
            ...(missing.length === 0 ? [] : [`webhook: missing ${missing.length} (${missing.slice(0, 3).join(", ")})`]),
            ...(invented.length === 0 ? [] : [`webhook: ${invented.length} of no fill`]),
            ...differing.map((each) => `webhook: ${each} was repeated with other bytes`),
            ...faults.map((fault) => `stream: ${fault}`),
          ],
        }
      }),
  }
})

export type Listeners = Effect.Success<ReturnType<typeof startListeners>>
