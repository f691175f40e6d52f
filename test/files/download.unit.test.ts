import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { download } from "#src/files/download.ts"
import { remoteOf } from "#src/files/remote.ts"
import { filesSettings } from "#src/files/settings.ts"
import { signed } from "#src/files/signature.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))

const configured = (flags: Record<string, string> = {}) =>
  Configuration.layer({ declared: [...filesSettings], file: { path: "none", values: {} }, env: {}, flags })

/** A web server, and the requests that it got. */
const serve = (answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void) =>
  Effect.gen(function* () {
    const requests: Array<IncomingMessage> = []
    const server = createServer((request, response) => {
      requests.push(request)
      answer(request, response, requests.length)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        }),
    )
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
  })

const target = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-download-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true })),
  ),
  (directory) => join(directory, "file"),
)

const fetched = (from: string, more: { readonly patience?: number } = {}, flags: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const remote = yield* remoteOf(from)
    if (remote === undefined) return yield* Effect.die("no address")
    const to = yield* target
    yield* download({ remote, path: "blocks-1/fill.parquet", target: to, bytes: bytes.length, isExact: true, ...more })
    return readFileSync(to)
  }).pipe(Effect.provide(configured(flags)), Effect.scoped)

const from = ({ headers }: IncomingMessage) => Number(/^bytes=(\d+)-$/.exec(headers.range ?? "bytes=0-")?.[1])

describe("A download", () => {
  it.live("goes on where a connection was cut", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* serve((request, response, nth) => {
        const start = from(request)
        response.writeHead(start > 0 ? 206 : 200, { "content-length": bytes.length - start })
        if (nth > 2) response.end(bytes.subarray(start))
        else response.write(bytes.subarray(start, start + 100_000), () => response.destroy())
      })
      assert.isTrue(bytes.equals(yield* fetched(url)))
      assert.strictEqual(requests.length, 3)
      assert.isAbove(from(requests[2] as IncomingMessage), 0)
    }).pipe(Effect.scoped),
  )

  it.live("starts over where the server has no ranges, also if it ends early without an error", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* serve((_, response, nth) => {
        response.end(nth === 1 ? bytes.subarray(0, 1_000) : bytes)
      })
      assert.isTrue(bytes.equals(yield* fetched(url)))
      assert.strictEqual(requests.length, 2)
    }).pipe(Effect.scoped),
  )

  it.live("gives up a connection on which nothing comes", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* serve((request, response, nth) => {
        const start = from(request)
        response.writeHead(start > 0 ? 206 : 200)
        if (nth > 1) response.end(bytes.subarray(start))
        else response.write(bytes.subarray(0, 100_000))
      })
      assert.isTrue(bytes.equals(yield* fetched(url, { patience: 200 })))
      assert.strictEqual(requests.length, 2)
    }).pipe(Effect.scoped),
  )

  it.live("of a file that is not there is not tried again", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* serve((_, response) => response.writeHead(404).end())
      const { message } = yield* Effect.flip(fetched(url))
      assert.match(message, /blocks-1\/fill\.parquet: it answers 404/)
      assert.strictEqual(requests.length, 1)
    }).pipe(Effect.scoped),
  )
})

describe("A bucket", () => {
  const key = {
    id: "AKIAIOSFODNN7EXAMPLE",
    secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    token: undefined,
    region: "us-east-1",
  }

  it("is asked with the signature of the example that AWS publishes", () => {
    const url = new URL("https://examplebucket.s3.amazonaws.com/test.txt")
    const { authorization } = signed(url, { range: "bytes=0-9" }, key, new Date("2013-05-24T00:00:00Z"))
    assert.strictEqual(
      authorization,
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    )
  })

  it.live("is read at the endpoint that is set, with credentials and without", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* serve((_, response) => response.end(bytes))
      const endpoint = { "aws.endpoint-url-s3": url }
      assert.isTrue(bytes.equals(yield* fetched("s3://facts/day=1", {}, endpoint)))
      const credentials = { "aws.access-key-id": key.id, "aws.secret-access-key": key.secret }
      assert.isTrue(bytes.equals(yield* fetched("s3://facts/day=1/", {}, { ...endpoint, ...credentials })))
      assert.deepStrictEqual(
        requests.map((each) => each.url),
        ["/facts/day%3D1/blocks-1/fill.parquet", "/facts/day%3D1/blocks-1/fill.parquet"],
      )
      assert.isUndefined(requests[0]?.headers.authorization)
      assert.match(requests[1]?.headers.authorization ?? "", /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\//)
    }).pipe(Effect.scoped),
  )

  it.live("that refuses says what to set", () =>
    Effect.gen(function* () {
      const { url } = yield* serve((_, response) => response.writeHead(403).end())
      const { message } = yield* Effect.flip(fetched("s3://facts", {}, { "aws.endpoint-url-s3": url }))
      assert.match(message, /it answers 403; it was asked without credentials: set AWS_ACCESS_KEY_ID/)
      const half = yield* Effect.flip(fetched("s3://facts", {}, { "aws.access-key-id": key.id }))
      assert.match(half.message, /set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/)
      const other = yield* Effect.flip(fetched("gs://facts"))
      assert.match(other.message, /gs:\/\/ is not supported/)
    }).pipe(Effect.scoped),
  )
})
