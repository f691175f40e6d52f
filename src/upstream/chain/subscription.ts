import { type Duration, Effect, Stream } from "effect"
import { socketMessages } from "../socket.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { fieldOf } from "./answers.ts"
import { understand } from "./refusals.ts"

export interface Subscription {
  readonly url: string
  /** Parameters of `eth_subscribe`. */
  readonly params: ReadonlyArray<unknown>
  readonly silentAfter: Duration.Input
  /** Selects the notifications to parse. */
  readonly wanted?: (text: string) => boolean
}

const isNotification = (text: string) => text.includes('"eth_subscription"')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const passing: ReadonlySet<string | undefined> = new Set(["rate-limited", "unhealthy"])

const refusal = (text: string) =>
  new UpstreamFailure({
    upstream: "rpc",
    // A node that is busy does not refuse the subscription as such.
    reason: passing.has(understand(undefined, text)?.meaning) ? "closed" : "refused",
    detail: `the node refused the subscription: ${text.slice(0, 200)}`,
  })

export interface Notification {
  readonly text: string
  readonly result: unknown
}

export const subscription = ({ url, params, silentAfter, wanted = () => true }: Subscription) =>
  socketMessages({
    upstream: "rpc",
    url,
    initialMessages: [JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params })],
    silentAfter,
    // Of other messages only a refusal matters: no notification will follow.
    isData: (text) => isNotification(text) || text.includes('"error"'),
  }).pipe(
    Stream.filter((text) => !isNotification(text) || wanted(text)),
    Stream.mapEffect((text) =>
      isNotification(text)
        ? Effect.succeed<Notification>({ text, result: fieldOf(fieldOf(parsed(text), "params"), "result") })
        : Effect.fail(refusal(text)),
    ),
  )
