import { createHash, createHmac } from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted, Result, Schema, Stream } from "effect"
import { type Coin, coins, type Tick } from "#src/domain/Tick.ts"
import { type Credentials, Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { skip, type UndecodableItem } from "#src/upstream/undecodable.ts"
import { decodeReport } from "./report.ts"
import { feedIds } from "./wireValues.ts"

const name = "datastreams"

/** Every feed sends a report each second, so the socket is never silent this long. */
const silentAfter = "3 seconds"

export interface HistoryPage {
  /** In order of time. */
  readonly ticks: ReadonlyArray<Tick>
  /** Number of undecodable rows. */
  readonly unread: number
}

const Page = Schema.Struct({ reports: Schema.Array(Schema.Unknown) })
const Message = Schema.fromJsonString(Schema.Struct({ report: Schema.Unknown }))
const decodeMessage = Schema.decodeUnknownResult(Message)

const readMessage = (text: string): Result.Result<Tick, string> => {
  const message = decodeMessage(text)
  return Result.isFailure(message) ? Result.fail(message.failure.message) : decodeReport(message.success.report)
}

/** Decoded without a yield. A page has a thousand; live ticks of the same process must not wait for all of them. */
const itemsAtOnce = 100

const readAll = <A>(items: ReadonlyArray<A>, read: (item: A) => Result.Result<Tick, string>) =>
  Effect.gen(function* () {
    const ticks: Array<Tick> = []
    const failures: Array<UndecodableItem> = []
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % itemsAtOnce === 0) yield* Effect.yieldNow
      const result = read(item)
      if (Result.isSuccess(result)) ticks.push(result.success)
      else failures.push({ reason: result.failure, item })
    }
    yield* skip(name, "tick", failures)
    return { ticks, unread: failures.length }
  })

const emptyBodyHash = createHash("sha256").update("").digest("hex")

/** Authentication headers of a request without a body. They are valid for five seconds. */
export const signedHeaders = (
  { id, secret }: Credentials,
  url: string,
  now: number,
): Readonly<Record<string, string>> => {
  const { pathname, search } = new URL(url)
  const text = `GET ${pathname}${search} ${emptyBodyHash} ${id} ${now}`
  return {
    authorization: id,
    "x-authorization-timestamp": String(now),
    "x-authorization-signature-sha256": createHmac("sha256", Redacted.value(secret)).update(text).digest("hex"),
  }
}

/** Chainlink Data Streams: live and historical prices with bid and ask. */
export class DataStreams extends Context.Service<
  DataStreams,
  {
    /** False without credentials. */
    readonly isAvailable: boolean
    /** Ticks of one connection, until it fails. */
    readonly live: Stream.Stream<ReadonlyArray<Tick>, UpstreamFailure>
    /** The first `limit` ticks from a second on. */
    readonly history: (coin: Coin, from: number, limit: number) => Effect.Effect<HistoryPage, UpstreamFailure>
  }
>()("presage/upstream/oracle/DataStreams") {
  static readonly layer = Layer.effect(
    DataStreams,
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      const http = yield* UpstreamHttp
      const clock = yield* Clock.Clock
      const credentials = endpoints.datastreamsCredentials
      const signed = (url: string) =>
        credentials === undefined ? {} : signedHeaders(credentials, url, clock.currentTimeMillisUnsafe())

      const everyFeed = coins.map((coin) => feedIds[coin]).join()
      const socketUrl = `${endpoints.datastreamsSocket}/api/v1/ws?feedIDs=${everyFeed}`

      return DataStreams.of({
        isAvailable: credentials !== undefined,
        live: socketMessages({
          upstream: name,
          url: socketUrl,
          headers: () => signed(socketUrl),
          silentAfter,
        }).pipe(
          Stream.chunks,
          Stream.mapEffect((texts) => Effect.map(readAll(texts, readMessage), ({ ticks }) => ticks)),
        ),
        history: Effect.fn("DataStreams.history")((coin, from, limit) =>
          Effect.gen(function* () {
            const url = `${endpoints.datastreams}/api/v1/reports/page?feedID=${feedIds[coin]}&startTimestamp=${from}&limit=${limit}`
            const { reports } = yield* http.decoded(name, Page, {
              url,
              headers: () => signed(url),
            })
            const page = yield* readAll(reports, decodeReport)
            const isRequested = (tick: Tick) => tick.coin === coin && tick.at >= from * 1000
            if (page.ticks.every(isRequested)) return { ...page, ticks: page.ticks.toSorted((a, b) => a.at - b.at) }
            return yield* new UpstreamFailure({
              upstream: name,
              reason: "malformed",
              detail: `requested ${coin} from ${from} and received other reports`,
            })
          }),
        ),
      })
    }),
  )
}
