import { renameSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type Directory, hashOf } from "./directory.ts"

/** The kernel frees an abstract socket when its process dies, so whoever holds the name is alive: no pid is guessed. */
const isAbstract = process.platform === "linux"
export const addressOf = (dir: Directory) =>
  isAbstract ? `\0presage:${hashOf(dir.path)}` : join(tmpdir(), `presage-${hashOf(dir.path)}.sock`)

/** Undefined when somebody else listens there. */
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
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "HungUp" }
  | { readonly _tag: "Silence" }

const dial = (address: string) =>
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
    const settle = (heard: SocketResult) => {
      clearTimeout(timer)
      resume(Effect.succeed(heard))
    }
    const timer = setTimeout(() => settle({ _tag: "Silence" }), forMillis)
    socket.once("connect", () => {
      connected = true
      socket.write(`${challenge}\n`)
    })
    socket.once("close", () => settle({ _tag: connected ? "HungUp" : "Nobody" }))
    socket.on("data", (chunk: string) => {
      text += chunk
      const end = text.indexOf("\n")
      if (end >= 0) settle({ _tag: "Reply", line: text.slice(0, end) })
      else if (text.length > 4096) settle({ _tag: "Silence" })
    })
    return Effect.sync(() => clearTimeout(timer))
  })

/** Asks who listens there, and stays on the line for as long as the scope lives: `gone` ends when they hang up. */
export const ask = Effect.fnUntraced(function* (address: string, challenge: string, forMillis: number) {
  const { socket, closed } = yield* dial(address)
  const heard = yield* exchange(socket, challenge, forMillis)
  return { heard, gone: Effect.promise(() => closed) }
})

/** Answers everybody, once there is an answer, and keeps them on the line. */
export const serve = (server: Server) => {
  const challenges = new Map<Socket, string>()
  const connected = new Set<Socket>()
  let answer: ((challenge: string) => string) | undefined
  const tell = () => {
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
        tell()
      }
    })
  })
  return {
    answerWith: (next: typeof answer) =>
      Effect.sync(() => {
        answer = next
        tell()
      }),
    close: Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of connected) socket.destroy()
    }),
  }
}

/** A socket file outlives its process. Moved aside first, so that one who was quicker than us is noticed and put back. */
export const removeStale = Effect.fnUntraced(function* (address: string) {
  if (isAbstract) return
  const aside = `${address}.${process.pid}`
  yield* Effect.ignore(Effect.try(() => renameSync(address, aside)))
  const { heard } = yield* Effect.scoped(ask(aside, "", 200))
  yield* Effect.ignore(
    Effect.try(() => (heard._tag === "Nobody" ? rmSync(aside, { force: true }) : renameSync(aside, address))),
  )
})
