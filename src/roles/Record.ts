import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import { Progress } from "#src/ledger/Progress.ts"
import { historyGoal, historyOrder } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { BadRecording, type ChainLine, type Manifest, type Source } from "#src/recording/model.ts"
import { openRecording } from "#src/recording/RecordingWriter.ts"
import { blockBeforeHead, recordHeads, recordRange } from "#src/recording/recordChain.ts"
import { redactor, secretsOf } from "#src/recording/redaction.ts"
import { replayServer } from "#src/recording/replay/ReplayServer.ts"
import { addressesAt, recordingSettings } from "#src/recording/serviceSettings.ts"
import { tapTo } from "#src/recording/tapTo.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { rpcSocketUrl, rpcUrl, upstream } from "#src/upstream/settings.ts"
import { WireTap } from "#src/upstream/WireTap.ts"
import { awaitReady } from "./awaitReady.ts"
import { base } from "./Base.ts"
import { layerFor } from "./Process.ts"
import { externalSimulator } from "./SimulatorChild.ts"
import { allSettings } from "./settings.ts"

/** Longest wait for the first read of the catalogue. */
const readyWithin = "30 minutes"

/** Longest wait at the end for the ledger to read the last recorded block. */
const ledgerWithin = "1 minute"

/** The ledger begins with the first recorded block: balances of its wallets are those before it. */
const historyFrom = (block: number) => ({ [historyGoal.name]: `since:${block}`, [historyOrder.name]: "oldest-first" })

export type RecordedSpan =
  | { readonly _tag: "Minutes"; readonly minutes: number }
  | { readonly _tag: "Blocks"; readonly from: number; readonly count: number }

export interface RecordOptions<E> {
  /** An empty directory, or one that does not exist. */
  readonly to: string
  readonly span: RecordedSpan
  readonly maxBytes: number
  /** Configuration of the service that runs meanwhile, with these settings on top. */
  readonly serviceConfiguration: (flags: Readonly<Record<string, string>>) => Layer.Layer<Configuration, E>
}

const asProblem = (failure: { readonly message: string }) =>
  failure instanceof BadRecording ? failure : new BadRecording({ problem: `failed to record: ${failure.message}` })

/** Records what the upstreams send to a service of its own, and every block of the chain. */
export const record = <E>({ to, span, maxBytes, serviceConfiguration }: RecordOptions<E>) =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const endpoints = yield* Endpoints
    if (endpoints.rpc.length === 0)
      return yield* new BadRecording({ problem: `no node is configured: set ${rpcUrl.env}` })
    const { writer, finish } = yield* openRecording({
      dir: to,
      upstream: config.get(upstream),
      maxBytes,
      clean: redactor(secretsOf(config, allSettings)),
    })
    const clock = yield* Clock.Clock
    const tap = tapTo(writer, endpoints, () => clock.currentTimeMillisUnsafe())
    // What sockets send today does not belong to blocks of the past.
    const answersAlone = { ...tap, frame: () => undefined }

    /** Followers alone: no client, and no port but that of its metrics. */
    const service = <A, E2, R>(work: Effect.Effect<A, E2, R>, flags: Readonly<Record<string, string>> = {}) => {
      const configuration = serviceConfiguration({ ...recordingSettings, [settings.opsPort.name]: "0", ...flags })
      const worker = layerFor(new Set(["worker"] as const), externalSimulator).pipe(
        Layer.provideMerge(base),
        Layer.provideMerge(configuration),
      )
      return Effect.flatMap(Shutdown, ({ begin }) => Effect.ensuring(work, begin)).pipe(
        // Not the layers of the recorder, which have other settings.
        Effect.provide(worker, { local: true }),
        Effect.provideService(WireTap, span._tag === "Minutes" ? tap : answersAlone),
      )
    }
    let takesBlocks = true
    let lastBlock = 0
    const write = (line: ChainLine) => {
      if (!takesBlocks) return
      if ("block" in line) lastBlock = Number(line.block.number)
      writer.write("chain", line)
    }

    /** Balances of wallets are recorded when the service reads their block. */
    const awaitLedger = Effect.gen(function* () {
      const { ledger } = yield* Progress
      yield* Effect.repeat(ledger, {
        until: (progress) => (progress?.block ?? 0) >= lastBlock,
        schedule: Schedule.spaced("50 millis"),
      }).pipe(Effect.timeoutOption(ledgerWithin))
    })

    /** The time of the recording begins when the service has its catalogue and its connections. */
    const live = Effect.fnUntraced(function* (minutes: number) {
      const first = yield* Effect.mapError(blockBeforeHead, asProblem)
      const wait = Effect.gen(function* () {
        yield* awaitReady(readyWithin)
        const startedAt = yield* Clock.currentTimeMillis
        writer.setTimes(startedAt)
        yield* Effect.sleep(Duration.minutes(minutes))
        writer.setTimes(startedAt, yield* Clock.currentTimeMillis)
        takesBlocks = false
        yield* awaitLedger
      })
      yield* Effect.raceAllFirst([
        service(wait, historyFrom(first)),
        Effect.mapError(recordHeads(first, write), asProblem),
        writer.full,
      ])
    })

    /** The service reads the recorded blocks, so that it asks the other upstreams about them. */
    const past = Effect.fnUntraced(function* (from: number, count: number) {
      const chain: Array<ChainLine> = []
      const { startedAt, endedAt, call } = yield* Effect.mapError(
        recordRange(from, count, (line) => {
          chain.push(line)
          write(line)
        }),
        asProblem,
      )
      writer.setTimes(startedAt, endedAt)
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const node = yield* replayServer({
        recording: { chain, answers: new Map(), frames: new Map() },
        now: () => endedAt,
        call: (params) => run(call(params)),
      })
      const addresses = addressesAt(node.url)
      const flags = {
        [rpcUrl.name]: addresses[rpcUrl.name] ?? "",
        [rpcSocketUrl.name]: addresses[rpcSocketUrl.name] ?? "",
        ...historyFrom(from),
      }
      yield* Effect.raceFirst(service(awaitReady(readyWithin), flags), writer.full)
    })

    let manifest: Manifest | undefined
    yield* (span._tag === "Minutes" ? live(span.minutes) : past(span.from, span.count)).pipe(
      Effect.onExit((exit) =>
        Effect.map(finish(exit), (finished) => {
          manifest = finished
        }),
      ),
    )
    return manifest as Manifest
  }).pipe(
    Effect.scoped,
    Effect.provide(ChainNode.layer),
    Effect.provide(UpstreamHttp.layer),
    Effect.provide(Endpoints.layer),
    Effect.provide(externalSimulator),
  )

/** Lines and bytes of each source. */
export const filesOf = ({ files }: Manifest): ReadonlyArray<readonly [Source, number, number]> =>
  Object.entries(files).flatMap(([source, counts]) =>
    counts === undefined ? [] : [[source as Source, counts.lines, counts.bytes] as const],
  )
