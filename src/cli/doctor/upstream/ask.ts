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

const reasonOf = (error: unknown) => {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return code ?? message ?? String(error)
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
    catch: reasonOf,
  })
  const tookMillis = (yield* Clock.currentTimeMillis) - startedAt
  const date = Date.parse(String(response.headers["date"]))
  const aheadMillis = Number.isNaN(date) ? undefined : startedAt + tookMillis / 2 - date
  return { status: response.statusCode, headers: response.headers, text, tookMillis, aheadMillis }
})
