import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { renameSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option, Redacted, Schema, type Scope } from "effect"
import { type Directory, hashOf, readSecrets } from "./directory.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"
import { pause } from "./waiting.ts"

/** What an owner tells those who join: where the stores listen. Passwords stay in the directory. */
export const Announcement = Schema.Struct({
  pid: Schema.Number,
  postgres: Schema.NullOr(Schema.Number),
  redis: Schema.NullOr(Schema.Number),
})
export type Announcement = typeof Announcement.Type

const Reply = Schema.fromJsonString(Schema.Struct({ announcement: Schema.String, proof: Schema.String }))
const decodeReply = Schema.decodeUnknownOption(Reply)
const decodeAnnouncement = Schema.decodeUnknownOption(Schema.fromJsonString(Announcement))

/** The kernel frees an abstract socket when its process dies, so whoever holds the name is alive: no pid is guessed. */
const isAbstract = process.platform === "linux"
const addressOf = (dir: Directory) =>
  isAbstract ? `\0presage:${hashOf(dir.path)}` : join(tmpdir(), `presage-${hashOf(dir.path)}.sock`)

/** Anybody on this machine may hold the name or connect to it: only who can read the directory can make this. */
const prove = (key: Redacted.Redacted<string>, challenge: string, announcement: string) =>
  createHmac("sha256", Redacted.value(key)).update(`${challenge}\n${announcement}`).digest("hex")

const listen = (address: string) =>
  Effect.callback<Server | undefined, unknown>((resume) => {
    const server = createServer()
    server.once("error", (error) =>
      resume("code" in error && error.code === "EADDRINUSE" ? Effect.succeed(undefined) : Effect.fail(error)),
    )
    server.listen({ path: address, exclusive: true }, () => resume(Effect.succeed(server)))
  })

type Heard =
  | { readonly _tag: "Reply"; readonly line: string }
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "HungUp" }
  | { readonly _tag: "Silence" }

/** Asks the owner, who answers once its stores are up; a hang-up means that it is gone. */
const ask = (address: string, challenge: string, forMillis: number) =>
  Effect.callback<Heard>((resume) => {
    let text = ""
    let connected = false
    const socket = connect({ path: address })
    const settle = (heard: Heard) => {
      clearTimeout(timer)
      socket.destroy()
      resume(Effect.succeed(heard))
    }
    const timer = setTimeout(() => settle({ _tag: "Silence" }), forMillis)
    socket.once("connect", () => {
      connected = true
      socket.write(`${challenge}\n`)
    })
    socket.once("error", () => settle({ _tag: connected ? "HungUp" : "Nobody" }))
    socket.once("close", () => settle({ _tag: "HungUp" }))
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const end = text.indexOf("\n")
      if (end >= 0) settle({ _tag: "Reply", line: text.slice(0, end) })
      else if (text.length > 4096) settle({ _tag: "Silence" })
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      socket.destroy()
    })
  })

/** Who owns the directory, if anybody; `undefined` when nobody does or the owner left while we asked. */
export const askOwner = Effect.fnUntraced(function* (
  dir: Directory,
  forMillis: number,
): Effect.fn.Return<Announcement | undefined, StoreUnavailable> {
  const challenge = randomBytes(16).toString("hex")
  const heard = yield* ask(addressOf(dir), challenge, forMillis)
  if (heard._tag === "Nobody" || heard._tag === "HungUp") return undefined
  if (heard._tag === "Silence") {
    return yield* new StoreUnavailable({
      store: "directory",
      message: `The process that runs the stores of ${dir.path} does not answer: stop it, or choose another directory.`,
    })
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
  if (Option.isSome(announcement)) return announcement.value
  return yield* new StoreUnavailable({
    store: "directory",
    message: `A process that is not Presage, or does not know the secrets of ${dir.path}, answers for it: stop that process, or choose another directory.`,
  })
})

export interface Ownership {
  /** From now on those who ask are told. */
  readonly announce: (announcement: Announcement, key: Redacted.Redacted<string>) => Effect.Effect<void>
  /** From now on nobody is told; those who ask wait until we have gone. */
  readonly retire: Effect.Effect<void>
}

const serve = (server: Server): Ownership & { readonly close: Effect.Effect<void> } => {
  const waiting = new Map<Socket, string>()
  const connected = new Set<Socket>()
  let answer: ((challenge: string) => string) | undefined
  const tell = () => {
    if (answer === undefined) return
    for (const [socket, challenge] of waiting) socket.end(answer(challenge))
    waiting.clear()
  }
  server.on("error", () => undefined)
  server.on("connection", (socket) => {
    let text = ""
    connected.add(socket)
    socket.on("error", () => undefined)
    socket.once("close", () => {
      waiting.delete(socket)
      connected.delete(socket)
    })
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      if (text.length > 256) socket.destroy()
      else if (text.includes("\n")) {
        waiting.set(socket, text.slice(0, text.indexOf("\n")))
        tell()
      }
    })
  })
  return {
    announce: (announcement, key) =>
      Effect.sync(() => {
        const text = JSON.stringify(announcement)
        answer = (challenge) => `${JSON.stringify({ announcement: text, proof: prove(key, challenge, text) })}\n`
        tell()
      }),
    retire: Effect.sync(() => {
      answer = undefined
    }),
    close: Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of connected) socket.destroy()
    }),
  }
}

/** A socket file outlives its process. Moved aside first, so that one who was quicker than us is noticed and put back. */
const removeStale = Effect.fnUntraced(function* (address: string) {
  const aside = `${address}.${process.pid}`
  yield* Effect.ignore(Effect.try(() => renameSync(address, aside)))
  const heard = yield* ask(aside, "", 200)
  yield* Effect.ignore(
    Effect.try(() => (heard._tag === "Nobody" ? rmSync(aside, { force: true }) : renameSync(aside, address))),
  )
})

/** Owns the directory for the scope, or tells who does. Of several that start at once exactly one owns. */
export const claim = Effect.fnUntraced(function* (
  dir: Directory,
  forMillis: number,
): Effect.fn.Return<Ownership | Announcement, StoreUnavailable, Scope.Scope> {
  const address = addressOf(dir)
  const deadline = performance.now() + forMillis
  const owned = Effect.acquireRelease(
    Effect.map(listen(address), (server) => (server === undefined ? undefined : serve(server))),
    (ownership) => ownership?.close ?? Effect.void,
  ).pipe(
    Effect.mapError(
      (cause) => new StoreUnavailable({ store: "directory", message: `Cannot listen for ${dir.path}: ${cause}` }),
    ),
  )
  while (true) {
    const ownership = yield* owned
    if (ownership !== undefined) return ownership
    const announcement = yield* askOwner(dir, Math.max(1, deadline - performance.now()))
    if (announcement !== undefined) return announcement
    if (!isAbstract) yield* removeStale(address)
    yield* pause(20)
  }
})
