import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted, Schema, type Scope } from "effect"
import { type Directory, readSecrets } from "./directory.ts"
import { addressOf, ask, listen, removeStale, serve } from "./ownerSocket.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"
import { pause } from "./waiting.ts"

/** What an owner tells those who join: where the stores listen. Passwords stay in the directory. */
export const Announcement = Schema.Struct({
  pid: Schema.Number,
  /** A short command, which stops the stores as soon as it is done. */
  brief: Schema.Boolean,
  postgres: Schema.NullOr(Schema.Number),
  redis: Schema.NullOr(Schema.Number),
})
export type Announcement = typeof Announcement.Type

const Reply = Schema.fromJsonString(Schema.Struct({ announcement: Schema.String, proof: Schema.String }))
const decodeReply = Schema.decodeUnknownOption(Reply)
const decodeAnnouncement = Schema.decodeUnknownOption(Schema.fromJsonString(Announcement))

/** Anybody on this machine may hold the name or connect to it: only who can read the directory can make this. */
const prove = (key: Redacted.Redacted<string>, challenge: string, announcement: string) =>
  createHmac("sha256", Redacted.value(key)).update(`${challenge}\n${announcement}`).digest("hex")

const unavailable = (message: string) => new StoreUnavailable({ store: "directory", message })

/** Another process that runs the stores. */
export interface Owner {
  readonly announcement: Announcement
  /** Ends when that process has stopped them, or has died. */
  readonly gone: Effect.Effect<void>
}

/** Who owns the directory, if anybody; `undefined` when nobody does or the owner left while we asked. */
export const askOwner = Effect.fnUntraced(function* (
  dir: Directory,
  forMillis: number,
): Effect.fn.Return<Owner | undefined, StoreUnavailable, Scope.Scope> {
  const challenge = randomBytes(16).toString("hex")
  const { heard, gone } = yield* ask(addressOf(dir), challenge, forMillis)
  if (heard._tag === "Nobody" || heard._tag === "HungUp") return undefined
  if (heard._tag === "Silence") {
    return yield* unavailable(
      `The process that runs the stores of ${dir.path} does not answer. It may still be starting; else stop it, or set PRESAGE_DIR to another directory.`,
    )
  }
  const secrets = yield* readSecrets(dir)
  const announcement = Option.gen(function* () {
    const reply = yield* decodeReply(heard.line)
    const { owner } = yield* secrets
    const wanted = Buffer.from(prove(owner, challenge, reply.announcement))
    const given = Buffer.from(reply.proof)
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return yield* Option.none()
    return yield* decodeAnnouncement(reply.announcement)
  })
  if (Option.isSome(announcement)) return { announcement: announcement.value, gone }
  return yield* unavailable(
    `A process that is not Presage, or does not know the secrets of ${dir.path}, answers for it: stop that process, or choose another directory.`,
  )
})

export interface Ownership {
  /** From now on those who ask are told. */
  readonly announce: (announcement: Announcement, key: Redacted.Redacted<string>) => Effect.Effect<void>
  /** From now on nobody is told; those who ask wait until we have gone. */
  readonly retire: Effect.Effect<void>
}

const own = (dir: Directory) =>
  Effect.acquireRelease(
    Effect.map(listen(addressOf(dir)), (server) => (server === undefined ? undefined : serve(server))),
    (held) => held?.close ?? Effect.void,
  ).pipe(
    Effect.mapError((cause) => unavailable(`Cannot listen for ${dir.path}: ${cause}`)),
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
  /** Join a short command too; by default one waits for it to end and then claims. */
  readonly brief?: boolean
}

/** Owns the directory for the scope, or tells who does. Of several that start at once exactly one owns. */
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
    ? `Whether somebody runs the stores of ${dir.path} cannot be found out: choose another directory.`
    : `A short command (process ${owner.announcement.pid}) still runs the stores of ${dir.path}: stop it, or start again when it is done.`
