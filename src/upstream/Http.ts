import {
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  Layer,
  Metric,
  Option,
  Schedule,
  Schema,
  Semaphore,
  Stream,
} from "effect"
import { RateLimiter } from "effect/unstable/persistence"
import { request } from "undici"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { freeReadBuffer } from "#src/platform/process/freeBuffer.ts"
import { Circuit } from "./Circuit.ts"
import { answerLimit, limits, type UpstreamName, upstreamNames } from "./settings.ts"
import { readRetryAfter, UpstreamFailure } from "./UpstreamFailure.ts"

export interface Call {
  /** The whole address. */
  readonly url: string
  readonly method?: "GET" | "POST"
  /** Sent as JSON. */
  readonly body?: unknown
  /** Made anew for every attempt, which may have waited for longer than a signature is good for. */
  readonly headers?: () => Readonly<Record<string, string>>
}

const requests = (upstream: string, outcome: string) =>
  Metric.counter("presage_upstream_requests_total", {
    description: "Requests to upstreams by how they ended",
    incremental: true,
    attributes: { upstream, outcome },
  })
const circuitOpen = (upstream: string) =>
  Metric.gauge("presage_upstream_circuit_open", {
    description: "1 while an upstream is left alone because it failed several times in a row",
    attributes: { upstream },
  })
const seconds = (upstream: string) =>
  Metric.histogram("presage_upstream_request_seconds", {
    description: "Time of one request to an upstream, to the last byte",
    boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 16 }),
    attributes: { upstream },
  })

const excerpt = (text: string) => text.slice(0, 200).replace(/\s+/g, " ")

/** So that a large answer comes in few parts. */
const partBytes = 1024 * 1024

/** Alone in its memory, so that it can be handed to another thread. */
type Bytes = Buffer<ArrayBuffer>

/** Reads no more than is allowed: a body may be endless. */
const readAll = async (body: AsyncIterable<Buffer>, mostBytes: number): Promise<Bytes | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > mostBytes) return undefined
    chunks.push(chunk)
  }
  // Those of `Buffer.concat` may lie in a pool.
  const whole = Buffer.allocUnsafeSlow(size)
  let end = 0
  for (const chunk of chunks) end += chunk.copy(whole, end)
  for (const chunk of chunks) freeReadBuffer(chunk)
  return whole
}

const fetchBytes = (upstream: string, call: Call, timeout: Duration.Duration, mostBytes: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const fail = (reason: UpstreamFailure["reason"], detail: string, more: Partial<UpstreamFailure> = {}) =>
      new UpstreamFailure({ upstream, reason, detail, ...more })
    const { response, body } = yield* Effect.tryPromise({
      try: async (signal) => {
        // Not fetch, whose streams cost twice as much as reading what comes through them; redirects are not followed.
        const response = await request(call.url, {
          method: call.method ?? (call.body === undefined ? "GET" : "POST"),
          headers: {
            accept: "application/json",
            ...(call.body === undefined ? {} : { "content-type": "application/json" }),
            ...call.headers?.(),
          },
          ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
          highWaterMark: partBytes,
          // One deadline over everything up to the last byte of the body.
          signal: AbortSignal.any([signal, AbortSignal.timeout(Duration.toMillis(timeout))]),
        })
        return { response, body: await readAll(response.body, mostBytes) }
      },
      catch: (error) =>
        error instanceof Error && error.name === "TimeoutError"
          ? fail("timeout", `no answer within ${Duration.format(timeout)}`)
          : fail("unreachable", causeOf(error)),
    })
    if (body === undefined) return yield* fail("too-large", `more than ${mostBytes} bytes`)
    const { statusCode: status, headers } = response
    if (status >= 200 && status < 300) return body
    const text = body.toString("utf8")
    if (status !== 429) return yield* fail("status", excerpt(text), { status })
    const retryAfter = Option.getOrUndefined(readRetryAfter(headers["retry-after"], now))
    return yield* fail("rate-limited", excerpt(text), { status, ...(retryAfter === undefined ? {} : { retryAfter }) })
  })

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message
}

const longestWait = Duration.minutes(1)

/** Doubling from a fifth of a second, with jitter; what the upstream itself asks for goes before. */
const backOff = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("10 seconds")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<UpstreamFailure>(),
  Schedule.modifyDelay(({ input, duration }) =>
    Effect.succeed(Duration.min(longestWait, Duration.max(duration, input.retryAfter ?? Duration.zero))),
  ),
)

/** Requests to the outside: limited, retried, cut off when the other side is down, counted. */
export class UpstreamHttp extends Context.Service<
  UpstreamHttp,
  {
    /** The body of a good answer, in memory of its own. */
    readonly bytes: (upstream: UpstreamName, call: Call) => Effect.Effect<Bytes, UpstreamFailure>
    readonly text: (upstream: UpstreamName, call: Call) => Effect.Effect<string, UpstreamFailure>
    readonly json: (upstream: UpstreamName, call: Call) => Effect.Effect<unknown, UpstreamFailure>
    /** A JSON answer of a known shape. */
    readonly decoded: <A>(
      upstream: UpstreamName,
      schema: Schema.Decoder<A>,
      call: Call,
    ) => Effect.Effect<A, UpstreamFailure>
    /** Upstreams that are being left alone. */
    readonly open: () => ReadonlyArray<UpstreamName>
  }
>()("presage/upstream/Http") {
  static readonly layer = Layer.effect(
    UpstreamHttp,
    Effect.gen(function* () {
      const config = yield* Configuration
      const limiter = yield* RateLimiter.make
      const gates = Object.fromEntries(
        upstreamNames.map((name) => [
          name,
          { circuit: new Circuit(), turns: Semaphore.makeUnsafe(config.get(limits[name].concurrency)) },
        ]),
      ) as Readonly<Record<UpstreamName, { readonly circuit: Circuit; readonly turns: Semaphore.Semaphore }>>
      for (const name of upstreamNames) {
        const changes = config.watch(limits[name].concurrency)
        yield* Effect.forkScoped(Stream.runForEach(changes, (permits) => gates[name].turns.resize(permits)))
      }

      const limited = (name: UpstreamName) =>
        limiter
          .consume({
            algorithm: "token-bucket",
            onExceeded: "delay",
            window: "10 seconds",
            limit: config.get(limits[name].rate),
            key: name,
          })
          .pipe(
            Effect.flatMap(({ delay }) => Effect.sleep(delay)),
            Effect.orDie,
          )

      const once = (name: UpstreamName, call: Call) =>
        Effect.gen(function* () {
          const { circuit, turns } = gates[name]
          if (!circuit.admit(yield* Clock.currentTimeMillis)) {
            return yield* new UpstreamFailure({
              upstream: name,
              reason: "circuit-open",
              detail: "it failed several times in a row and is left alone for a moment",
            })
          }
          const mostBytes = config.get(answerLimit) * 1024 * 1024
          const started = performance.now()
          return yield* limited(name).pipe(
            Effect.andThen(fetchBytes(name, call, config.get(limits[name].timeout), mostBytes)),
            turns.withPermit,
            Effect.onExit((exit) =>
              Effect.gen(function* () {
                const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
                if (Exit.isSuccess(exit) || (failure !== undefined && !failure.isOutage)) circuit.succeeded()
                else if (failure === undefined) circuit.undecided()
                else circuit.failed(yield* Clock.currentTimeMillis)
                yield* Metric.update(circuitOpen(name), circuit.isOpen ? 1 : 0)
                yield* Metric.update(requests(name, failure?.reason ?? "ok"), 1)
                yield* Metric.update(seconds(name), (performance.now() - started) / 1000)
              }),
            ),
          )
        })

      const tried = <A>(name: UpstreamName, one: Effect.Effect<A, UpstreamFailure>) =>
        Effect.retry(one, {
          schedule: backOff,
          times: config.get(limits[name].attempts) - 1,
          while: (failure) => failure.isTransient,
        })
      const malformed = (upstream: UpstreamName, detail: string) =>
        new UpstreamFailure({ upstream, reason: "malformed", detail: excerpt(detail) })
      const textOnce = (name: UpstreamName, call: Call) => Effect.map(once(name, call), (body) => body.toString("utf8"))
      const parsed = (name: UpstreamName, call: Call) =>
        Effect.flatMap(textOnce(name, call), (body) =>
          Effect.try({
            try: (): unknown => JSON.parse(body),
            catch: () => malformed(name, `not JSON: ${body}`),
          }),
        )
      // An answer that was cut short or mixed up is whole the next time, so reading it is part of what is tried.
      return UpstreamHttp.of({
        bytes: (name, call) => tried(name, once(name, call)),
        text: (name, call) => tried(name, textOnce(name, call)),
        json: (name, call) => tried(name, parsed(name, call)),
        decoded: (name, schema, call) =>
          tried(
            name,
            Effect.flatMap(parsed(name, call), (value) =>
              Effect.mapError(Schema.decodeUnknownEffect(schema)(value), (error) => malformed(name, error.message)),
            ),
          ),
        open: () => upstreamNames.filter((name) => gates[name].circuit.isOpen),
      })
    }),
  ).pipe(Layer.provide(RateLimiter.layerStoreMemory))
}
