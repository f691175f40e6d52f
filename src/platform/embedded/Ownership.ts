import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted, Schema, type Scope } from "effect"
import { type Directory, readSecrets } from "./directory.ts"
import { addressOf, ask, listen, removeStale, serve } from "./ownerSocket.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"
import { pause } from "./waiting.ts"

/** Sent by an owner to joining processes: the ports of the stores. Passwords stay in the directory. */
export const Announcement = Schema.Struct({
  pid: Schema.Number,
  /** The owner is a short command, which stops the stores when it ends. */
  brief: Schema.Boolean,
  postgres: Schema.NullOr(Schema.Number),
  redis: Schema.NullOr(Schema.Number),
})
export type Announcement = typeof Announcement.Type

const Reply = Schema.fromJsonString(Schema.Struct({ announcement: Schema.String, proof: Schema.String }))
const decodeReply = Schema.decodeUnknownOption(Reply)
const decodeAnnouncement = Schema.decodeUnknownOption(Schema.fromJsonString(Announcement))

/** Any process on this machine can hold or connect to the socket; only those that can read the directory can prove it. */
const prove = (key: Redacted.Redacted<string>, challenge: string, announcement: string) =>
  createHmac("sha256", Redacted.value(key)).update(`${challenge}\n${announcement}`).digest("hex")

const unavailable = (message: string) => new StoreUnavailable({ store: "directory", message })

/** Another process that runs the stores. */
export interface Owner {
  readonly announcement: Announcement
  /** Completes when that process has stopped the stores, or has died. */
  readonly gone: Effect.Effect<void>
}

/** The owner of the directory; undefined when there is none, or when it left during the query. */
export const askOwner = Effect.fnUntraced(function* (
  dir: Directory,
  forMillis: number,
): Effect.fn.Return<Owner | undefined, StoreUnavailable, Scope.Scope> {
  const challenge = randomBytes(16).toString("hex")
  const { result, gone } = yield* ask(addressOf(dir), challenge, forMillis)
  if (result._tag === "NoListener" || result._tag === "Disconnected") return undefined
  if (result._tag === "Timeout") {
    return yield* unavailable(
      `The process that runs the stores of ${dir.path} does not answer. It may still be starting; otherwise stop it, or set PRESAGE_DIR to another directory.`,
    )
  }
  const secrets = yield* readSecrets(dir)
  const announcement = Option.gen(function* () {
    const reply = yield* decodeReply(result.line)
    const { owner } = yield* secrets
    const wanted = Buffer.from(prove(owner, challenge, reply.announcement))
    const given = Buffer.from(reply.proof)
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return yield* Option.none()
    return yield* decodeAnnouncement(reply.announcement)
  })
  if (Option.isSome(announcement)) return { announcement: announcement.value, gone }
  return yield* unavailable(
    `Another process claims to own ${dir.path}, but does not know its secrets: stop that process, or choose another directory.`,
  )
})

export interface Ownership {
  /** From now on, answers queries with the announcement. */
  readonly announce: (announcement: Announcement, key: Redacted.Redacted<string>) => Effect.Effect<void>
  /** From now on, leaves queries unanswered until this process has exited. */
  readonly retire: Effect.Effect<void>
}

const own = (dir: Directory) =>
  Effect.acquireRelease(
    Effect.map(listen(addressOf(dir)), (server) => (server === undefined ? undefined : serve(server))),
    (held) => held?.close ?? Effect.void,
  ).pipe(
    Effect.mapError((cause) => unavailable(`Cannot create the owner socket of ${dir.path}: ${cause}`)),
    Effect.map(
      (held): Ownership | undefined =>
        held && {
          announce: (announcement, key) => {
            const text = JSON.stringify(announcement)
            return held.answerWith(
              (challenge) => `${JSON.stringify({ announcement: text, proof: prove(key, challenge, text) })}\n`,
            )
          },
          retire: held.answerWith(undefined),
        },
    ),
  )

export interface ClaimOptions {
  readonly forMillis: number
  /** Join a short command too; by default `claim` waits until it ends. */
  readonly brief?: boolean
}

/** Owns the directory until the scope closes, or returns its owner. Of several concurrent starts exactly one owns it. */
export const claim = Effect.fnUntraced(function* (
  dir: Directory,
  options: ClaimOptions,
): Effect.fn.Return<Ownership | Owner, StoreUnavailable, Scope.Scope> {
  const deadline = performance.now() + options.forMillis
  const left = () => Math.max(1, deadline - performance.now())
  while (true) {
    const ownership = yield* own(dir)
    if (ownership !== undefined) return ownership
    const owner = yield* askOwner(dir, left())
    if (owner === undefined) yield* removeStale(addressOf(dir))
    else if (options.brief || !owner.announcement.brief) return owner
    else {
      yield* Effect.logInfo(`waiting for a short command (process ${owner.announcement.pid}) to end`)
      yield* Effect.raceFirst(owner.gone, pause(left()))
    }
    if (left() <= 1) return yield* unavailable(busy(dir, owner))
    yield* pause(20)
  }
})

const busy = (dir: Directory, owner: Owner | undefined) =>
  owner === undefined
    ? `Cannot determine whether another process runs the stores of ${dir.path}: choose another directory.`
    : `A short command (process ${owner.announcement.pid}) still runs the stores of ${dir.path}: stop it, or start again when it has ended.`
