import { type Duration, Effect, Stream } from "effect"
import { socketMessages } from "../socket.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { fieldOf } from "./answers.ts"

export interface Subscription {
  /** Sockets of nodes; each connection uses the next one. */
  readonly urls: ReadonlyArray<string>
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

const refusal = (text: string) =>
  new UpstreamFailure({
    upstream: "rpc",
    reason: "closed",
    detail: `the node refused the subscription: ${text.slice(0, 200)}`,
  })

export interface Notification {
  readonly text: string
  readonly result: unknown
}

/** Notifications of one connection at a time; run again after a failure, it connects to the next node. */
export const subscription = ({ urls, params, silentAfter, wanted = () => true }: Subscription) => {
  let connections = 0
  const connect = () => urls[connections++ % urls.length] ?? ""
  return Stream.suspend(() => notifications(connect(), params, silentAfter, wanted))
}

const notifications = (
  url: string,
  params: ReadonlyArray<unknown>,
  silentAfter: Duration.Input,
  wanted: (text: string) => boolean,
) =>
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
