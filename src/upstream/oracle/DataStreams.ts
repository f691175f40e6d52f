import { Clock, Context, Effect, Layer, Result, Schema, Stream } from "effect"
import { type Coin, coins, type Tick } from "#src/domain/Tick.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { skip, type Unread } from "#src/upstream/undecodable.ts"
import { feedIds } from "./names.ts"
import { decodeReport } from "./report.ts"
import { signedHeaders } from "./signature.ts"

const name = "datastreams"

/** Every feed has a report each second, so seven of them say something all the time. */
const silentAfter = "3 seconds"

export interface HistoryPage {
  /** In order of time. */
  readonly ticks: ReadonlyArray<Tick>
  /** Rows that could not be read. */
  readonly unread: number
}

const Page = Schema.Struct({ reports: Schema.Array(Schema.Unknown) })
const Message = Schema.fromJsonString(Schema.Struct({ report: Schema.Unknown }))
const decodeMessage = Schema.decodeUnknownResult(Message)

const readMessage = (text: string): Result.Result<Tick, string> => {
  const message = decodeMessage(text)
  return Result.isFailure(message) ? Result.fail(message.failure.message) : decodeReport(message.success.report)
}

/** Read without a pause. A page has a thousand, and live ticks of the same process do not wait for all of them. */
const itemsAtOnce = 100

/** What could be read, and how much could not. */
const readAll = <A>(items: ReadonlyArray<A>, read: (item: A) => Result.Result<Tick, string>) =>
  Effect.gen(function* () {
    const ticks: Array<Tick> = []
    const failures: Array<Unread> = []
    for (const [place, item] of items.entries()) {
      if (place > 0 && place % itemsAtOnce === 0) yield* Effect.yieldNow
      const result = read(item)
      if (Result.isSuccess(result)) ticks.push(result.success)
      else failures.push({ reason: result.failure, item })
    }
    yield* skip(name, "tick", failures)
    return { ticks, unread: failures.length }
  })

/** Chainlink Data Streams: prices with bid and ask, live and from the past. */
export class DataStreams extends Context.Service<
  DataStreams,
  {
    /** Without credentials there is nothing to be had. */
    readonly isAvailable: boolean
    /** Ticks of one connection as they come, until it fails. */
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
        history: (coin, from, limit) =>
          Effect.gen(function* () {
            const url = `${endpoints.datastreams}/api/v1/reports/page?feedID=${feedIds[coin]}&startTimestamp=${from}&limit=${limit}`
            const { reports } = yield* http.decoded(name, Page, {
              url,
              headers: () => signed(url),
            })
            const page = yield* readAll(reports, decodeReport)
            const isAsked = (tick: Tick) => tick.coin === coin && tick.at >= from * 1000
            if (page.ticks.every(isAsked)) return { ...page, ticks: page.ticks.toSorted((a, b) => a.at - b.at) }
            return yield* new UpstreamFailure({
              upstream: name,
              reason: "malformed",
              detail: `asked for ${coin} from ${from} on and got something else`,
            })
          }),
      })
    }),
  )
}
