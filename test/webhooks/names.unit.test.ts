import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sender } from "#src/webhooks/delivery/Sender.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import { refusedUrls } from "./refusedUrls.ts"
import { httpServer, sendingAsked, tcpServer } from "./sending.ts"
import { nameServer, type Zone } from "./support/nameServer.ts"

const body = Buffer.from("{}")
const send = (url: string) => Effect.flatMap(Sender, (sender) => sender.send({ url, headers: {}, body }))
const check = (url: string) => Effect.flatMap(Targets, (targets) => Effect.result(targets.check(url)))

const internet = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]

/** Names by what their addresses reach; every one lies inside. */
const zones: Readonly<Record<string, Zone>> = {
  "loopback.example.com": { addresses: ["127.0.0.1"] },
  "loopback-range.example.com": { addresses: ["127.8.9.1"] },
  "loop6.example.com": { addresses: ["::1"] },
  "mapped.example.com": { addresses: ["::ffff:7f00:1"] },
  "compatible.example.com": { addresses: ["::7f00:1"] },
  "translated.example.com": { addresses: ["::ffff:0:7f00:1"] },
  "nat64.example.com": { addresses: ["64:ff9b::7f00:1"] },
  "local-nat64.example.com": { addresses: ["64:ff9b:1::7f00:1"] },
  "6to4.example.com": { addresses: ["2002:7f00:1::"] },
  "teredo.example.com": { addresses: ["2001:0:7f00:1::"] },
  "unspecified.example.com": { addresses: ["0.0.0.0"] },
  "unspecified6.example.com": { addresses: ["::"] },
  "private10.example.com": { addresses: ["10.1.2.3"] },
  "private172.example.com": { addresses: ["172.16.0.1"] },
  "private192.example.com": { addresses: ["192.168.1.1"] },
  "shared.example.com": { addresses: ["100.64.0.1"] },
  "link-local.example.com": { addresses: ["169.254.1.1"] },
  "link-local6.example.com": { addresses: ["fe80::1"] },
  "unique-local.example.com": { addresses: ["fd12:3456:789a::1"] },
  "metadata.example.com": { addresses: ["169.254.169.254"] },
  "metadata6.example.com": { addresses: ["fd00:ec2::254"] },
  "metadata-alibaba.example.com": { addresses: ["100.100.100.200"] },
  "metadata-azure.example.com": { addresses: ["168.63.129.16"] },
  "metadata-mapped.example.com": { addresses: ["::ffff:a9fe:a9fe"] },
  "multicast.example.com": { addresses: ["239.255.255.250"] },
  "multicast6.example.com": { addresses: ["ff02::1"] },
  "broadcast.example.com": { addresses: ["255.255.255.255"] },
  "first.example.com": { addresses: ["127.0.0.1", ...internet] },
  "last.example.com": { addresses: [...internet, "127.0.0.1"] },
  "last6.example.com": { addresses: [...internet, "::1"] },
  "among-many.example.com": {
    addresses: [...Array.from({ length: 50 }, (_, i) => `93.184.215.${i + 1}`), "10.0.0.1"],
  },
  "alias.example.com": { alias: "target.example.net", addresses: ["127.0.0.1"] },
  "alias-of-localhost.example.com": { alias: "localhost", addresses: ["127.0.0.1", "::1"] },
  "alias-inside.example.com": { alias: "db.internal", addresses: [...internet, "192.168.0.9"] },
  "_service.example.com": { addresses: ["127.0.0.1"] },
  "xn--nxasmq6b.example.com": { addresses: ["127.0.0.1"] },
  "127.0.0.1.nip.io": { addresses: ["127.0.0.1"] },
  "mixed.example.com": { addresses: ["93.184.215.14", "10.0.0.7"] },
  "mixed6.example.com": { addresses: ["93.184.215.14", "::1"] },
}

const blocked = [false, "blocked", null, 0, "The endpoint's address is not public.", null]

describe("Webhooks to names, with a real DNS server", () => {
  it.live(`never connect to what is inside: ${Object.keys(zones).length} names and every refused spelling`, () =>
    Effect.gen(function* () {
      let connections = 0
      const { port } = yield* tcpServer(() => connections++)
      const names = yield* nameServer((name) => zones[name])
      yield* Effect.gen(function* () {
        const spelled = (name: string) => [
          `https://${name}:${port}/`,
          `https://${name.toUpperCase()}:${port}/`,
          `https://${name}.:${port}/`,
        ]
        const urls = [...Object.keys(zones).flatMap(spelled), ...refusedUrls]
        for (const url of urls) {
          const checked = yield* check(url)
          assert.strictEqual(checked._tag, "Failure", url)
          const { success, errorClass, statusCode, latencyMs, error, response } = yield* send(url)
          assert.deepStrictEqual([success, errorClass, statusCode, latencyMs, error, response], blocked, url)
        }
      }).pipe(Effect.provide(sendingAsked(names.address, { "webhooks.ports": `443,${port}` })))
      assert.strictEqual(connections, 0)
      assert.sameMembers([...new Set(names.queries)], Object.keys(zones))
    }),
  )

  it.live("connect to the answer that was checked: each attempt asks once, and a changed answer is checked again", () =>
    Effect.gen(function* () {
      const visits: Array<string | undefined> = []
      const { port } = yield* httpServer((request, _, response) => {
        visits.push(request.headers.host)
        response.writeHead(200, { connection: "close" }).end()
      })
      let answers = 0
      const names = yield* nameServer(() => ({ addresses: answers++ < 4 ? ["127.0.0.1"] : ["169.254.169.254"] }))
      const url = `http://rebinding.example.com:${port}/`
      const insecure = { "webhooks.allow-insecure": "true", "webhooks.deadline": "30s" }
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* check(url))._tag, "Success")
        assert.lengthOf(names.queries, 2, "one for each family")
        assert.isTrue((yield* send(url)).success)
        assert.lengthOf(names.queries, 4)
        assert.strictEqual((yield* send(url)).errorClass, "blocked")
        assert.lengthOf(names.queries, 6)
        assert.strictEqual((yield* check(url))._tag, "Failure")
      }).pipe(Effect.provide(sendingAsked(names.address, insecure)))
      assert.deepStrictEqual(visits, [`rebinding.example.com:${port}`])
    }),
  )

  it.live("try few of many addresses, so that a name cannot make a worker connect to thousands", () =>
    Effect.gen(function* () {
      const { port, server } = yield* tcpServer(() => undefined)
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      const attempts: Array<string> = []
      const onSocket = (message: unknown) =>
        (message as { socket: Socket }).socket.on("connectionAttempt", (ip: string, to: number) => {
          if (to === port) attempts.push(ip)
        })
      yield* Effect.acquireRelease(
        Effect.sync(() => subscribe("net.client.socket", onSocket)),
        () => Effect.sync(() => unsubscribe("net.client.socket", onSocket)),
      )
      const names = yield* nameServer(() => ({
        addresses: ["::1", ...Array.from({ length: 60 }, (_, i) => `127.0.0.${i + 1}`)],
      }))
      const insecure = { "webhooks.allow-insecure": "true", "webhooks.deadline": "30s" }
      const answer = yield* Effect.provide(
        send(`http://many.example.com:${port}/`),
        sendingAsked(names.address, insecure),
      )
      assert.deepStrictEqual([answer.success, answer.errorClass], [false, "connect"])
      assert.isAtLeast(attempts.length, 2)
      assert.isAtMost(attempts.length, 6)
      assert.include(attempts, "::1", "of both families")
    }),
  )

  it.live("end at the deadline when the DNS server is silent, and know nothing of names without an address", () =>
    Effect.gen(function* () {
      const names = yield* nameServer((name) => (name === "empty.example.com" ? { addresses: [] } : undefined))
      yield* Effect.gen(function* () {
        for (const name of ["empty.example.com", "missing.example.com"]) {
          assert.strictEqual((yield* check(`https://${name}/`))._tag, "Success", "it may come to exist")
          assert.strictEqual((yield* send(`https://${name}/`)).errorClass, "dns")
        }
      }).pipe(Effect.provide(sendingAsked(names.address, {})))
    }),
  )
})
