import { type Duration, Effect, Stream } from "effect"
import { socketMessages } from "../socket.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { fieldOf } from "./answers.ts"

export interface Subscription {
  readonly url: string
  /** Of `eth_subscribe`. */
  readonly params: ReadonlyArray<unknown>
  readonly silentAfter: Duration.Input
  /** Which news are worth reading. */
  readonly wanted?: (text: string) => boolean
}

const isNews = (text: string) => text.includes('"eth_subscription"')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const refusal = (text: string) =>
  new UpstreamFailure({ upstream: "rpc", reason: "closed", detail: `the node refused: ${text.slice(0, 200)}` })

/** What a node tells over one connection, as text and as what it says. */
export interface News {
  readonly text: string
  readonly result: unknown
}

export const subscription = ({ url, params, silentAfter, wanted = () => true }: Subscription) =>
  socketMessages({
    upstream: "rpc",
    url,
    hello: [JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params })],
    silentAfter,
    // Of the rest only a refusal is of interest: then nothing will ever come.
    counts: (text) => isNews(text) || text.includes('"error"'),
  }).pipe(
    Stream.filter((text) => !isNews(text) || wanted(text)),
    Stream.mapEffect((text) =>
      isNews(text)
        ? Effect.succeed<News>({ text, result: fieldOf(fieldOf(parsed(text), "params"), "result") })
        : Effect.fail(refusal(text)),
    ),
  )
