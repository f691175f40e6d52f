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
import { version } from "#src/platform/process/version.ts"
import { Circuits } from "./Circuit.ts"
import { decompressed } from "./decompressed.ts"
import { jsonInParts } from "./jsonInParts.ts"
import { limits, responseLimit, type UpstreamName, upstreamNames } from "./settings.ts"
import { readPause, UpstreamFailure } from "./UpstreamFailure.ts"
import { WireTap } from "./WireTap.ts"

export interface UpstreamRequest {
  readonly url: string
  readonly method?: "GET" | "POST"
  /** Sent as JSON. */
  readonly body?: unknown
  /** Called for every attempt: a signature may expire while an attempt waits. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** One of several servers of an upstream, which has limits and a circuit breaker of its own. */
  readonly server?: string
  /** By default as many as are configured. */
  readonly attempts?: number
  /** Whether the body of an unsuccessful status is a response nevertheless. */
  readonly isResponse?: (body: string) => boolean
  /** Reads the JSON of a response, and may transfer its buffer to a thread; by default it is parsed in parts. */
  readonly parse?: (body: Bytes) => Effect.Effect<unknown, Error>
  /** Whether it may be too much at once: then a timeout says nothing about the upstream. */
  readonly isHeavy?: boolean
}

const requests = (upstream: string, outcome: string) =>
  Metric.counter("presage_upstream_requests_total", {
    description: "Requests to upstreams, by outcome",
    incremental: true,
    attributes: { upstream, outcome },
  })
const circuitOpen = (upstream: string) =>
  Metric.gauge("presage_upstream_circuit_open", {
    description: "1 while the circuit breaker of an upstream is open; with several nodes, that of all of them",
    attributes: { upstream },
  })
const seconds = (upstream: string) =>
  Metric.histogram("presage_upstream_request_seconds", {
    description: "Duration of one request to an upstream, to the last byte",
    boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 16 }),
    attributes: { upstream },
  })

const userAgent = `presage/${version}`

const excerpt = (text: string) => text.slice(0, 200).replace(/\s+/g, " ")

/** Reads a large response in few chunks. */
const chunkBytes = 1024 * 1024

/** Has a buffer of its own, so that it can be transferred to another thread. */
type Bytes = Buffer<ArrayBuffer>

/** Undefined if the body exceeds the limit: it may be endless. */
const readAll = async (
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  free: (chunk: Buffer) => void,
): Promise<Bytes | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  // `Buffer.concat` may allocate from a pool.
  const whole = Buffer.allocUnsafeSlow(size)
  let end = 0
  for (const chunk of chunks) end += chunk.copy(whole, end)
  for (const chunk of chunks) free(chunk)
  return whole
}

const fetchBytes = (upstream: UpstreamName, call: UpstreamRequest, timeout: Duration.Duration, maxBytes: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const fail = (reason: UpstreamFailure["reason"], detail: string, more: Partial<UpstreamFailure> = {}) =>
      new UpstreamFailure({ upstream, reason, detail, ...more })
    const { response, body } = yield* Effect.tryPromise({
      try: async (signal) => {
        // Not fetch: its streams cost twice as much as reading the data. Redirects are not followed.
        const response = await request(call.url, {
          method: call.method ?? (call.body === undefined ? "GET" : "POST"),
          headers: {
            accept: "application/json",
            "accept-encoding": "gzip, br",
            "user-agent": userAgent,
            ...(call.body === undefined ? {} : { "content-type": "application/json" }),
            ...call.headers?.(),
          },
          ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
          highWaterMark: chunkBytes,
          // One deadline up to the last byte of the body.
          signal: AbortSignal.any([signal, AbortSignal.timeout(Duration.toMillis(timeout))]),
        })
        const decoded = decompressed(response.body, response.headers["content-encoding"])
        // A decompressor may still use its last buffer.
        const free = decoded === response.body ? freeReadBuffer : () => undefined
        return { response, body: await readAll(decoded, maxBytes, free) }
      },
      catch: (error) =>
        error instanceof Error && error.name === "TimeoutError"
          ? fail("timeout", `no response within ${Duration.format(timeout)}`)
          : fail("unreachable", reasonOf(error)),
    })
    if (body === undefined) return yield* fail("too-large", `more than ${maxBytes} bytes`)
    const { statusCode: status, headers } = response
    const tap = yield* WireTap
    tap?.answer({ upstream, url: call.url, body: call.body, status, bytes: body })
    if (status >= 200 && status < 300) return body
    const text = body.toString("utf8")
    if (call.isResponse?.(text) === true && status !== 429) return body
    if (status !== 429) return yield* fail("status", excerpt(text), { status })
    const retryAfter = Option.getOrUndefined(readPause(headers, now))
    return yield* fail("rate-limited", excerpt(text), { status, ...(retryAfter === undefined ? {} : { retryAfter }) })
  })

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message
}

const maxDelay = Duration.minutes(1)

/** Exponential from 200 ms with jitter, but at least what the upstream requests. */
const backOff = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("10 seconds")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<UpstreamFailure>(),
  Schedule.modifyDelay(({ input, duration }) =>
    Effect.succeed(Duration.min(maxDelay, Duration.max(duration, input.retryAfter ?? Duration.zero))),
  ),
)

const traced = <A, E, R>(span: string, upstream: UpstreamName, call: Effect.Effect<A, E, R>) =>
  Effect.withSpan(call, span, { kind: "client", attributes: { upstream } })

/** HTTP client of the upstreams, with rate limits, retries, circuit breakers and metrics. */
export class UpstreamHttp extends Context.Service<
  UpstreamHttp,
  {
    /** The body of a successful response, in a buffer of its own. */
    readonly bytes: (upstream: UpstreamName, call: UpstreamRequest) => Effect.Effect<Bytes, UpstreamFailure>
    readonly text: (upstream: UpstreamName, call: UpstreamRequest) => Effect.Effect<string, UpstreamFailure>
    readonly json: (upstream: UpstreamName, call: UpstreamRequest) => Effect.Effect<unknown, UpstreamFailure>
    /** A JSON response, decoded. */
    readonly decoded: <A>(
      upstream: UpstreamName,
      schema: Schema.Decoder<A>,
      call: UpstreamRequest,
    ) => Effect.Effect<A, UpstreamFailure>
    /** Upstreams whose circuit breaker is open. */
    readonly open: () => ReadonlyArray<UpstreamName>
  }
>()("presage/upstream/Http") {
  static readonly layer = Layer.effect(
    UpstreamHttp,
    Effect.gen(function* () {
      const config = yield* Configuration
      const limiter = yield* RateLimiter.make
      const upstreams = Object.fromEntries(
        upstreamNames.map((name) => [
          name,
          { circuits: new Circuits(), permits: Semaphore.makeUnsafe(config.get(limits[name].concurrency)) },
        ]),
      ) as Readonly<Record<UpstreamName, { readonly circuits: Circuits; readonly permits: Semaphore.Semaphore }>>
      for (const name of upstreamNames) {
        const changes = config.watch(limits[name].concurrency)
        yield* Effect.forkScoped(Stream.runForEach(changes, (permits) => upstreams[name].permits.resize(permits)))
      }

      const limited = (name: UpstreamName, server = "") =>
        limiter
          .consume({
            algorithm: "token-bucket",
            onExceeded: "delay",
            window: "10 seconds",
            limit: config.get(limits[name].rate),
            key: `${name} ${server}`,
          })
          .pipe(
            Effect.flatMap(({ delay }) => Effect.sleep(delay)),
            Effect.orDie,
          )

      const once = (name: UpstreamName, call: UpstreamRequest) =>
        Effect.gen(function* () {
          const { circuits, permits } = upstreams[name]
          const circuit = circuits.of(call.server)
          if (!circuit.admit(yield* Clock.currentTimeMillis)) {
            return yield* new UpstreamFailure({
              upstream: name,
              reason: "circuit-open",
              detail: "paused after several consecutive failures",
            })
          }
          const maxBytes = config.get(responseLimit) * 1024 * 1024
          const started = performance.now()
          return yield* limited(name, call.server).pipe(
            Effect.andThen(fetchBytes(name, call, config.get(limits[name].timeout), maxBytes)),
            permits.withPermit,
            Effect.onExit((exit) =>
              Effect.gen(function* () {
                const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
                const isTooMuch = call.isHeavy === true && failure?.reason === "timeout"
                if (Exit.isSuccess(exit) || (failure !== undefined && !failure.isOutage)) circuit.succeeded()
                else if (failure === undefined || isTooMuch) circuit.abandoned()
                else circuit.failed(yield* Clock.currentTimeMillis)
                yield* Metric.update(circuitOpen(name), circuits.areOpen ? 1 : 0)
                yield* Metric.update(requests(name, failure?.reason ?? "ok"), 1)
                yield* Metric.update(seconds(name), (performance.now() - started) / 1000)
              }),
            ),
          )
        })

      const retried = <A>(name: UpstreamName, { attempts }: UpstreamRequest, one: Effect.Effect<A, UpstreamFailure>) =>
        Effect.retry(one, {
          schedule: backOff,
          times: (attempts ?? config.get(limits[name].attempts)) - 1,
          while: (failure) => failure.isTransient,
        })
      const malformed = (upstream: UpstreamName, detail: string) =>
        new UpstreamFailure({ upstream, reason: "malformed", detail: excerpt(detail) })
      const textOnce = (name: UpstreamName, call: UpstreamRequest) =>
        Effect.map(once(name, call), (body) => body.toString("utf8"))
      const parsed = (name: UpstreamName, call: UpstreamRequest) =>
        Effect.flatMap(once(name, call), (body) => {
          if (call.parse !== undefined)
            return Effect.mapError(call.parse(body), ({ message }) => malformed(name, message))
          const text = body.toString("utf8")
          return Effect.mapError(jsonInParts(text), () => malformed(name, `not JSON: ${text}`))
        })
      // Decoding is part of the retried effect: a truncated response is usually complete the next time.
      return UpstreamHttp.of({
        bytes: (name, call) => traced("UpstreamHttp.bytes", name, retried(name, call, once(name, call))),
        text: (name, call) => traced("UpstreamHttp.text", name, retried(name, call, textOnce(name, call))),
        json: (name, call) => traced("UpstreamHttp.json", name, retried(name, call, parsed(name, call))),
        decoded: (name, schema, call) => {
          const decoded = Effect.flatMap(parsed(name, call), (value) =>
            Effect.mapError(Schema.decodeUnknownEffect(schema)(value), (error) => malformed(name, error.message)),
          )
          return traced("UpstreamHttp.decoded", name, retried(name, call, decoded))
        },
        open: () => upstreamNames.filter((name) => upstreams[name].circuits.areOpen),
      })
    }),
  ).pipe(Layer.provide(RateLimiter.layerStoreMemory))
}
