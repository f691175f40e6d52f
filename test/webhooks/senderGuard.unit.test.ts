import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sender } from "#src/webhooks/delivery/Sender.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import { refusedUrls } from "./refusedUrls.ts"
import { httpServer, sending, tcpServer } from "./sending.ts"

const body = Buffer.from("{}")
const send = (url: string) => Effect.flatMap(Sender, (sender) => sender.send({ url, headers: {}, body }))

describe("Sender's connection guard", () => {
  it.live("connects only to public addresses, in any spelling, and reveals nothing about others", () =>
    Effect.gen(function* () {
      let connections = 0
      const { port } = yield* tcpServer(() => connections++)
      const inside: Readonly<Record<string, ReadonlyArray<string>>> = {
        "mixed.example.com": ["93.184.215.14", "127.0.0.1"],
        "mixed6.example.com": ["93.184.215.14", "::1"],
        "127.0.0.1.nip.io": ["127.0.0.1"],
        "metadata.example.com": ["169.254.169.254"],
        "mapped.example.com": ["::ffff:127.0.0.1"],
        "loop6.example.com": ["::1"],
      }
      yield* Effect.gen(function* () {
        for (const url of refusedUrls) {
          const parsed = URL.parse(url)
          // With the canary's port if the spelling allows one.
          const aimed =
            parsed === null || parsed.port !== "" ? url : url.replace(/^(https:\/\/[^/@?#]+)(\/|$)/, `$1:${port}$2`)
          const answer = yield* send(aimed)
          assert.deepStrictEqual(
            [answer.success, answer.errorClass, answer.statusCode, answer.latencyMs, answer.response],
            [false, "blocked", null, 0, null],
            aimed,
          )
          assert.strictEqual(answer.error, "The endpoint's address is not public.")
        }
      }).pipe(
        Effect.provide(sending({ "webhooks.ports": `443,${port}`, "webhooks.deadline": "1s" }, (name) => inside[name])),
      )
      assert.strictEqual(connections, 0)
    }),
  )

  it.live("refuses a name that resolved to a public address when checked and to an internal one later", () =>
    Effect.gen(function* () {
      let connections = 0
      const { port } = yield* tcpServer(() => connections++)
      const answers = [["93.184.215.14"], ["127.0.0.1"]]
      const url = `https://rebinding.example.com:${port}/`
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* (yield* Targets).check(url), url)
        assert.strictEqual((yield* send(url)).errorClass, "blocked")
      }).pipe(
        Effect.provide(
          sending(
            { "webhooks.ports": String(port), "webhooks.deadline": "1s" },
            () => answers.shift() ?? ["127.0.0.1"],
          ),
        ),
      )
      assert.strictEqual(connections, 0)
    }),
  )

  it.live("does not follow redirects", () =>
    Effect.gen(function* () {
      let connections = 0
      const canary = yield* tcpServer(() => connections++)
      const { port } = yield* httpServer((_, __, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${canary.port}/` }).end(),
      )
      const answer = yield* Effect.provide(
        send(`http://127.0.0.1:${port}/`),
        sending({ "webhooks.allow-insecure": "true" }),
      )
      assert.strictEqual(answer.errorClass, "redirect")
      assert.strictEqual(connections, 0)
    }),
  )
})
