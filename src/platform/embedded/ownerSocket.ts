import { renameSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type Directory, hashOf } from "./directory.ts"

/** The kernel frees an abstract socket when its process dies, so its holder is alive: no need to guess from a pid. */
const isAbstract = process.platform === "linux"
export const addressOf = (dir: Directory) =>
  isAbstract ? `\0presage:${hashOf(dir.path)}` : join(tmpdir(), `presage-${hashOf(dir.path)}.sock`)

/** Undefined when another process listens there. */
export const listen = (address: string) =>
  Effect.callback<Server | undefined, unknown>((resume) => {
    const server = createServer()
    server.once("error", (error) =>
      resume("code" in error && error.code === "EADDRINUSE" ? Effect.succeed(undefined) : Effect.fail(error)),
    )
    server.listen({ path: address, exclusive: true }, () => resume(Effect.succeed(server)))
  })

export type SocketResult =
  | { readonly _tag: "Reply"; readonly line: string }
  | { readonly _tag: "NoListener" }
  | { readonly _tag: "Disconnected" }
  | { readonly _tag: "Timeout" }

const open = (address: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect({ path: address }).setEncoding("utf8")
      socket.on("error", () => undefined)
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
      return { socket, closed }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy()),
  )

const exchange = (socket: Socket, challenge: string, forMillis: number) =>
  Effect.callback<SocketResult>((resume) => {
    let text = ""
    let connected = false
    const settle = (result: SocketResult) => {
      clearTimeout(timer)
      resume(Effect.succeed(result))
    }
    const timer = setTimeout(() => settle({ _tag: "Timeout" }), forMillis)
    socket.once("connect", () => {
      connected = true
      socket.write(`${challenge}\n`)
    })
    socket.once("close", () => settle({ _tag: connected ? "Disconnected" : "NoListener" }))
    socket.on("data", (chunk: string) => {
      text += chunk
      const end = text.indexOf("\n")
      if (end >= 0) settle({ _tag: "Reply", line: text.slice(0, end) })
      else if (text.length > 4096) settle({ _tag: "Timeout" })
    })
    return Effect.sync(() => clearTimeout(timer))
  })

/** Queries the owner and keeps the connection open until the scope closes; `gone` completes when the owner disconnects. */
export const ask = Effect.fnUntraced(function* (address: string, challenge: string, forMillis: number) {
  const { socket, closed } = yield* open(address)
  const result = yield* exchange(socket, challenge, forMillis)
  return { result, gone: Effect.promise(() => closed) }
})

/** Answers queries as soon as there is an answer, and keeps the connections open. */
export const serve = (server: Server) => {
  const challenges = new Map<Socket, string>()
  const connected = new Set<Socket>()
  let answer: ((challenge: string) => string) | undefined
  const reply = () => {
    if (answer === undefined) return
    for (const [socket, challenge] of challenges) socket.write(answer(challenge))
    challenges.clear()
  }
  server.on("error", () => undefined)
  server.on("connection", (socket) => {
    let text = ""
    connected.add(socket)
    socket.on("error", () => undefined)
    socket.once("close", () => {
      challenges.delete(socket)
      connected.delete(socket)
    })
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      if (text.length > 256) socket.destroy()
      else if (text.includes("\n")) {
        challenges.set(socket, text.slice(0, text.indexOf("\n")))
        reply()
      }
    })
  })
  return {
    answerWith: (next: typeof answer) =>
      Effect.sync(() => {
        answer = next
        reply()
      }),
    close: Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of connected) socket.destroy()
    }),
  }
}

/** A socket file outlives its process. Moves it aside first; if another process has just taken it over, moves it back. */
export const removeStale = Effect.fnUntraced(function* (address: string) {
  if (isAbstract) return
  const aside = `${address}.${process.pid}`
  yield* Effect.ignore(Effect.try(() => renameSync(address, aside)))
  const { result } = yield* Effect.scoped(ask(aside, "", 200))
  yield* Effect.ignore(
    Effect.try(() => (result._tag === "NoListener" ? rmSync(aside, { force: true }) : renameSync(aside, address))),
  )
})
