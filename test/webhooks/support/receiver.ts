import { join } from "node:path"
import { Effect, Scope } from "effect"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { ask } from "./ask.ts"
import type { BehaviourName } from "./behaviours.ts"
import { type Entry, GrowingLines, type Headers } from "./entries.ts"

/** A received request. */
export interface Received {
  readonly at: number
  readonly port: number
  readonly path: string
  readonly headers: Headers
  readonly body: Buffer
  /** Concurrent requests to this path when it arrived, including itself. */
  readonly inFlight: number
  /** When the connection was finished; undefined until then. */
  closedAt: number | undefined
  /** Whether the whole answer was sent. */
  answered: boolean
}

export interface Receiver {
  /** The path selects the behaviour, see `behaviours.ts`; the rest is a name chosen by the test. */
  readonly url: (path: string, endpoint?: number) => string
  /** Changes the behaviour of a path: `become("/ok/mine", "status", 503)`. */
  readonly become: (path: string, behaviour: BehaviourName, argument?: number) => Effect.Effect<void>
  /** All requests so far, to all paths or one, in order of arrival. Survives restarts. */
  readonly received: (path?: string) => ReadonlyArray<Received>
  readonly until: (
    what: string,
    withinMillis: number,
    check: (received: ReadonlyArray<Received>) => boolean,
  ) => Effect.Effect<number>
  readonly process: () => Process
  /** Restarts the process at the same ports, with the configured paths. */
  readonly restart: Effect.Effect<void>
}

/** Webhook endpoints in a process of their own, each with its own port. */
export const receiver = Effect.fnUntraced(function* (endpoints = 1) {
  const file = join(yield* temporaryDir, "received.jsonl")
  const scope = yield* Effect.scope
  const listening = Effect.fnUntraced(function* (wanted: ReadonlyArray<number>) {
    const process = yield* start({
      name: "receiver",
      file: "test/webhooks/support/receiverProcess.ts",
      env: { RECEIVER_FILE: file, RECEIVER_PORTS: wanted.join() },
    })
    const line = yield* process.waitForLine(/^listening /, 30_000)
    return { process, ports: line.split(" ").slice(1).map(Number) }
  })
  const first = yield* listening(Array.from({ length: endpoints }, () => 0))
  const { ports } = first
  let current = first.process

  const lines = new GrowingLines(file)
  const all: Array<Received> = []
  const byId = new Map<string, Received>()
  const received = (path?: string) => {
    for (const line of lines.next()) {
      const entry: Entry = JSON.parse(line)
      if (entry.kind === "request") {
        const { at, port, path, headers, inFlight } = entry
        const body = Buffer.from(entry.body, "base64")
        const one = { at, port, path, headers, body, inFlight, closedAt: undefined, answered: false }
        all.push(one)
        byId.set(entry.id, one)
      } else Object.assign(byId.get(entry.id) ?? {}, { closedAt: entry.at, answered: entry.answered })
    }
    return path === undefined ? all : all.filter((each) => each.path === path)
  }

  const self: Receiver = {
    url: (path, endpoint = 0) => `http://127.0.0.1:${ports[endpoint]}${path}`,
    become: (path, behaviour, argument = 0) => Effect.asVoid(ask(current, path, behaviour, argument)),
    received,
    until: (what, withinMillis, check) =>
      eventually(
        what,
        withinMillis,
        Effect.sync(() => check(received())),
      ),
    process: () => current,
    restart: Effect.gen(function* () {
      current.kill()
      yield* current.exit(10_000)
      current = (yield* Effect.provideService(listening(ports), Scope.Scope, scope)).process
    }),
  }
  return self
})
