import { Clock, Effect } from "effect"
import { request } from "undici"

/** How long an upstream has to answer. */
export const timeoutMillis = 8_000

export interface ProbeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  readonly tookMillis: number
  /** By how much this machine's clock is ahead of the upstream's; undefined without a `date` header. */
  readonly aheadMillis: number | undefined
}

/** The host and port of an address, without a path that may contain a key. */
export const hostOf = (url: string): string => new URL(url).host

/** What the errors mean that a wrong address or a blocked port leads to. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name server does not answer",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; the address may have to begin with http: or ws:",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_SOCKET: "it does not speak HTTP, or cut the connection",
}

/** An error of a connection in words, with its code. */
export const inWords = (error: unknown): string => {
  const { name, code, message } = error as {
    readonly name?: string
    readonly code?: string | number
    readonly message?: string
  }
  if (name === "TimeoutError") return `no answer within ${timeoutMillis / 1000} s`
  // An error of several addresses has a code and no message.
  const text = meanings[String(code)] ?? (message || String(code ?? error))
  return code === undefined || text.includes(String(code)) ? text : `${text} (${code})`
}

/** Sends one request. Fails with the reason if there is no answer. */
export const ask = Effect.fnUntraced(function* (
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Effect.fn.Return<ProbeAnswer, string> {
  const startedAt = yield* Clock.currentTimeMillis
  const { response, text } = yield* Effect.tryPromise({
    try: async (signal) => {
      const answer = await request(url, {
        method: body === undefined ? "GET" : "POST",
        headers: { "user-agent": "presage doctor", "content-type": "application/json", ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)]),
      })
      return { response: answer, text: await answer.body.text() }
    },
    catch: inWords,
  })
  const tookMillis = (yield* Clock.currentTimeMillis) - startedAt
  const date = Date.parse(String(response.headers["date"]))
  const aheadMillis = Number.isNaN(date) ? undefined : startedAt + tookMillis / 2 - date
  return { status: response.statusCode, headers: response.headers, text, tookMillis, aheadMillis }
})
