import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { Effect, Layer, Logger } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Resolver, Unresolvable } from "#src/webhooks/delivery/Resolver.ts"
import { Sender } from "#src/webhooks/delivery/Sender.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import { webhooksSettings } from "#src/webhooks/settings.ts"

/** Keeps a server and its sockets open until the scope ends. */
const opened = <S extends Server>(server: S) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.once("close", () => sockets.delete(socket))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, sockets, port: (server.address() as AddressInfo).port }
    }),
    ({ sockets }) =>
      Effect.promise(async () => {
        const closed = new Promise((resolve) => server.close(resolve))
        for (const socket of sockets) socket.destroy()
        await closed
      }),
  )

/** A server of raw bytes. */
export const tcpServer = (onSocket: (socket: Socket) => void) => opened(createTcpServer(onSocket))

/** Answers complete requests. */
export const httpServer = (answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void) =>
  opened(
    createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => answer(request, Buffer.concat(chunks), response))
    }),
  )

export { opened }

export const resolving = (names: (name: string) => ReadonlyArray<string> | "never" | undefined) =>
  Layer.succeed(
    Resolver,
    Resolver.of({
      resolve: (name) => {
        const found = names(name)
        if (found === "never") return Effect.never
        return found === undefined ? Effect.fail(new Unresolvable({ name })) : Effect.succeed(found)
      },
    }),
  )

/** A sender with the test's names. */
export const sending = (
  flags: Record<string, string>,
  names: Parameters<typeof resolving>[0] = () => undefined,
  ca?: string,
) => sendingBy(resolving(names), flags, ca)

/** A sender that asks this DNS server. */
export const sendingAsked = (server: string, flags: Record<string, string>) =>
  sendingBy(Resolver.layerAsking([server]), flags)

const sendingBy = (resolver: Layer.Layer<Resolver>, flags: Record<string, string>, ca?: string) =>
  Sender.layerTrusting(ca).pipe(
    Layer.provideMerge(Targets.layer),
    Layer.provide(resolver),
    Layer.provide(
      Configuration.layer({ declared: webhooksSettings, file: { path: "none", values: {} }, env: {}, flags }),
    ),
    Layer.provide(Logger.layer([])),
  )
