import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect, Layer, Logger } from "effect"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { readRange } from "#src/upstream/chain/readRange.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { upstreamsAt } from "#test/support/venue.ts"

/** The adapter on a venue at this address. */
export const nodeAt = (url: string, flags: Record<string, string> = {}) =>
  ChainNode.layer.pipe(
    Layer.provide(upstreamsAt(url)),
    Layer.provide(testConfiguration(flags)),
    Layer.orDie,
    Layer.merge(Logger.layer([])),
  )

/** The logs of some blocks, read where they are asked for. */
export const logsOf = (range: BlockRange) =>
  ChainNode.use((node) => node.logs(range, (answer) => Effect.sync(() => readRange(answer))))

/** The newest blocks of a world in which much has just happened, and nothing happens any more. */
export const busyRange = (simulation: Simulation) => {
  simulation.freeze()
  const from = simulation.head
  simulation.advance(10_000)
  return { from, to: simulation.head }
}

export interface Answer {
  readonly status: number
  readonly body: string
}

/** A server of JSON-RPC that answers in its own way, at the returned address. */
export const rpcServer = (answer: (asked: string) => Answer | Promise<Answer>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer(async (request, response) => {
          const { status, body } = await answer(await text(request))
          response.writeHead(status, { "content-type": "application/json" }).end(body)
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return server
      }),
      (server) =>
        Effect.promise(() => {
          server.closeAllConnections()
          return new Promise<void>((resolve) => server.close(() => resolve()))
        }),
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )

/** A server before the venue's node that changes its answers: nodes and providers differ. */
export const serverBefore = (url: string, change: (answer: Answer, asked: string) => Answer) =>
  rpcServer(async (asked) => {
    const answered = await fetch(`${url}/rpc`, { method: "POST", body: asked })
    return change({ status: answered.status, body: await answered.text() }, asked)
  })

/** The adapter on such a server. */
export const nodeBefore = (
  url: string,
  change: (answer: Answer, asked: string) => Answer,
  flags: Record<string, string> = {},
) => Effect.map(serverBefore(url, change), (address) => nodeAt(url, { ...flags, "upstream.rpc-url": address }))

export const fault = (url: string, body: object) =>
  Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(body) }))

export const noFaults = (url: string) => Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
