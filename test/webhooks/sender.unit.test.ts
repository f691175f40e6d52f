import { createServer as createSecureServer } from "node:https"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sender, type SendResult } from "#src/webhooks/delivery/Sender.ts"
import type { AttemptError } from "#src/webhooks/model.ts"
import { certificate, privateKey } from "./certificate.ts"
import { httpServer, opened, sending, tcpServer } from "./sending.ts"

const body = Buffer.from('{"id":"evt_1"}')
const deadline = 400
const here = { "webhooks.allow-insecure": "true", "webhooks.deadline": `${deadline}ms` }
/** For answers that must arrive in time, also on a busy machine. */
const patientHere = { ...here, "webhooks.deadline": "30s" }

const send = (url: string) => Effect.flatMap(Sender, (sender) => sender.send({ url, headers: { "x-a": "b" }, body }))
const failed = (answer: SendResult) => [answer.success, answer.errorClass, answer.statusCode]

/** Written as soon as the first bytes of the request arrive. */
const answering = (write: (socket: Socket) => void) =>
  tcpServer((socket) => {
    socket.once("data", () => write(socket))
  })

describe("Sender", () => {
  it.live("sends the exact bytes and headers, treats 2xx as success and reuses connections", () =>
    Effect.gen(function* () {
      const seen: Array<readonly [string | undefined, Buffer, string | undefined, number | undefined]> = []
      const { port } = yield* httpServer((request, bytes, response) => {
        seen.push([request.method, bytes, request.headers["x-a"] as string, request.socket.remotePort])
        response.writeHead(202).end("thanks\u0000\u0007\n")
      })
      for (const path of ["/a?b=c", "/d", "/e", "/f", "/g", "/h"]) {
        const answer = yield* send(`http://127.0.0.1:${port}${path}`)
        assert.deepStrictEqual(
          [answer.success, answer.statusCode, answer.error, answer.response],
          [true, 202, null, "thanks\n"],
        )
      }
      for (const [method, bytes, header] of seen) {
        assert.deepStrictEqual([method, header], ["POST", "b"])
        assert.deepStrictEqual(bytes, body)
      }
      assert.isAtMost(new Set(seen.map(([, , , from]) => from)).size, 2)
    }).pipe(Effect.provide(sending(patientHere))),
  )

  it.live("follows no redirects and treats every other status as a failure", () =>
    Effect.gen(function* () {
      let visits = 0
      const { port } = yield* httpServer((request, _, response) => {
        visits++
        const status = Number(request.url?.slice(1))
        response.writeHead(status, { location: `http://127.0.0.1:${port}/200` }).end("no")
      })
      for (const status of [301, 302, 303, 307, 308]) {
        const answer = yield* send(`http://127.0.0.1:${port}/${status}`)
        assert.deepStrictEqual(failed(answer), [false, "redirect", status])
      }
      for (const status of [400, 401, 404, 410, 429, 500, 503]) {
        const answer = yield* send(`http://127.0.0.1:${port}/${status}`)
        assert.deepStrictEqual(failed(answer), [false, "status", status])
        assert.strictEqual(answer.response, "no")
      }
      assert.strictEqual(visits, 12)
    }).pipe(Effect.provide(sending(patientHere))),
  )

  it.live("ends every attempt at its deadline, wherever the endpoint stalls", () =>
    Effect.gen(function* () {
      const silent = yield* tcpServer(() => undefined)
      const trickle = yield* answering((socket) => {
        socket.write("HTTP/1.1 500 No\r\ncontent-length: 100000\r\n\r\n")
        const timer = setInterval(() => socket.write("x"), 20)
        socket.once("close", () => clearInterval(timer))
      })
      const halfHeaders = yield* answering((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const timer = setInterval(() => socket.write("a: b\r\n"), 20)
        socket.once("close", () => clearInterval(timer))
      })
      const cases = [
        ["a name that never resolves", "http://silent.example.com/", [false, "timeout", null]],
        ["accepts and never speaks TLS", `https://127.0.0.1:${silent.port}/`, [false, "timeout", null]],
        ["accepts and never answers", `http://127.0.0.1:${silent.port}/`, [false, "timeout", null]],
        ["headers that never end", `http://127.0.0.1:${halfHeaders.port}/`, [false, "timeout", null]],
        ["a slow body", `http://127.0.0.1:${trickle.port}/`, [false, "status", 500]],
      ] as const
      yield* Effect.forEach(
        cases,
        ([what, url, expected]) =>
          Effect.gen(function* () {
            const startedAt = performance.now()
            assert.deepStrictEqual(failed(yield* send(url)), [...expected], what)
            const took = performance.now() - startedAt
            assert.isAtLeast(took, deadline - 5, what)
            assert.isAtMost(took, deadline + 20_000, what)
          }),
        { concurrency: "unbounded" },
      )
    }).pipe(Effect.provide(sending(here, (name) => (name === "silent.example.com" ? "never" : undefined)))),
  )

  it.live("accepts an answer before the deadline and fails one after it", () =>
    Effect.gen(function* () {
      const { port } = yield* httpServer((request, _, response) => {
        setTimeout(() => response.writeHead(200).end(), Number(request.url?.slice(1)))
      })
      const slow = send(`http://127.0.0.1:${port}/${deadline + 100}`)
      assert.isTrue((yield* Effect.provide(slow, sending(patientHere))).success)
      assert.deepStrictEqual(failed(yield* Effect.provide(slow, sending(here))), [false, "timeout", null])
    }),
  )

  it.live("treats a 2xx status line as success even if the body never ends, and keeps a bounded excerpt", () =>
    Effect.gen(function* () {
      const zipped = gzipSync(Buffer.alloc(10_000_000))
      const endless = yield* answering((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        const more = () => {
          while (!socket.destroyed && socket.write(`1000\r\n${"x".repeat(0x1000)}\r\n`));
        }
        socket.on("drain", more)
        more()
      })
      const slow = yield* answering((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"))
      const bomb = yield* answering((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`)
        socket.end(zipped)
      })
      const gigabyte = yield* answering((socket) =>
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n"),
      )
      const before = process.memoryUsage().rss
      const [first, second, third, fourth] = yield* Effect.all(
        [endless, slow, bomb, gigabyte].map(({ port }) => send(`http://127.0.0.1:${port}/`)),
        { concurrency: "unbounded" },
      )
      for (const answer of [first, second, third, fourth]) assert.isTrue(answer?.success)
      assert.strictEqual(first?.response, "x".repeat(1024))
      assert.strictEqual(second?.response, "ab")
      assert.isNull(third?.response)
      assert.isBelow(process.memoryUsage().rss - before, 20_000_000)
    }).pipe(Effect.provide(sending(here))),
  )

  it.live("survives invalid HTTP and treats it as a failure", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 10_000 }, (_, i) => `x-header-${i}: ${i}\r\n`).join("")
      const cases: ReadonlyArray<readonly [string, (socket: Socket) => void, AttemptError]> = [
        ["10,000 headers", (s) => s.end(`HTTP/1.1 200 OK\r\n${many}\r\n`), "protocol"],
        ["no HTTP", (s) => s.write("SSH-2.0-OpenSSH_9.6\r\n"), "protocol"],
        ["an invalid status", (s) => s.write("HTTP/1.1 abc OK\r\n\r\n"), "protocol"],
        [
          "two lengths",
          (s) => s.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
          "protocol",
        ],
        ["continue", (s) => s.write("HTTP/1.1 100 Continue\r\n\r\n"), "protocol"],
        ["a flood of 1xx", (s) => s.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10_000)), "protocol"],
        ["closed without a word", (s) => s.end(), "connect"],
        ["a reset", (s) => s.resetAndDestroy(), "connect"],
      ]
      for (const [what, write, expected] of cases) {
        const { port } = yield* answering(write)
        assert.deepStrictEqual(failed(yield* send(`http://127.0.0.1:${port}/`)), [false, expected, null], what)
      }
      const { port, server } = yield* tcpServer(() => undefined)
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      assert.deepStrictEqual(failed(yield* send(`http://127.0.0.1:${port}/`)), [false, "connect", null], "refused")
      assert.deepStrictEqual(failed(yield* send("https://unknown.example.org/")), [false, "dns", null])
    }).pipe(Effect.provide(sending({ ...here, "webhooks.deadline": "5s" }))),
  )

  it.live("speaks TLS only to trusted hosts", () =>
    Effect.gen(function* () {
      const { port } = yield* opened(
        createSecureServer({ key: privateKey, cert: certificate }, (request, response) => {
          request.resume()
          response.end(String(request.headers.host))
        }),
      )
      const names = (name: string) => (name.endsWith(".example.com") ? ["127.0.0.1"] : undefined)
      const flags = { ...here, "webhooks.deadline": "5s" }
      const known = yield* Effect.provide(
        send(`https://hooks.example.com:${port}/`),
        sending(flags, names, certificate),
      )
      assert.deepStrictEqual([known.success, known.response], [true, `hooks.example.com:${port}`])
      const misnamed = send(`https://other.example.com:${port}/`)
      assert.deepStrictEqual(failed(yield* Effect.provide(misnamed, sending(flags, names, certificate))), [
        false,
        "tls",
        null,
      ])
      const unknown = send(`https://hooks.example.com:${port}/`)
      assert.deepStrictEqual(failed(yield* Effect.provide(unknown, sending(flags, names))), [false, "tls", null])
      const plain = yield* tcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      const noTls = send(`https://hooks.example.com:${plain.port}/`)
      assert.deepStrictEqual(failed(yield* Effect.provide(noTls, sending(flags, names))), [false, "tls", null])
    }),
  )
})
