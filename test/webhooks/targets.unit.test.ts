import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Resolver, Unresolvable } from "#src/webhooks/delivery/Resolver.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import { webhooksSettings } from "#src/webhooks/settings.ts"
import { refusedUrls } from "./refusedUrls.ts"

/** Addresses of the names in this test; other names do not resolve. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "mixed.example.com": ["93.184.215.14", "10.0.0.7"],
  "mixed6.example.com": ["93.184.215.14", "fd00::1"],
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "metadata.example.com": ["169.254.169.254"],
  "mapped.example.com": ["::ffff:127.0.0.1"],
  "loop6.example.com": ["::1"],
  localhost: ["127.0.0.1", "::1"],
}
const resolver = Layer.succeed(
  Resolver,
  Resolver.of({
    resolve: (name) => {
      const found = names[name]
      return found === undefined ? Effect.fail(new Unresolvable({ name })) : Effect.succeed(found)
    },
  }),
)

const checking = (flags: Record<string, string>, urls: ReadonlyArray<string>) =>
  Effect.forEach(urls, (url) =>
    Effect.flatMap(Targets, (targets) =>
      Effect.match(targets.check(url), { onFailure: ({ reason }) => `refused: ${reason}`, onSuccess: (href) => href }),
    ),
  ).pipe(
    Effect.provide(
      Targets.layer.pipe(
        Layer.provide(resolver),
        Layer.provide(
          Configuration.layer({ declared: webhooksSettings, file: { path: "none", values: {} }, env: {}, flags }),
        ),
      ),
    ),
  )

const insecure = { "webhooks.allow-insecure": "true" }

describe("Targets", () => {
  it.effect("refuse every spelling of a non-public address", () =>
    Effect.gen(function* () {
      assert.isAtLeast(refusedUrls.length, 120)
      const answers = yield* checking({}, refusedUrls)
      for (const [i, answer] of answers.entries()) assert.match(answer, /^refused: the url/, refusedUrls[i])
    }),
  )

  it.effect("refuse every non-public address with the same message", () =>
    Effect.gen(function* () {
      const answers = yield* checking({}, [
        "https://127.0.0.1/",
        "https://10.1.2.3/",
        "https://localhost/",
        "https://printer/",
        "https://mixed.example.com/",
        "https://db.internal/",
      ])
      assert.strictEqual(new Set(answers).size, 1, answers.join("\n"))
    }),
  )

  it.effect("accept public and unresolved hosts, normalized", () =>
    Effect.gen(function* () {
      const given = [
        "HTTPS://Example.COM:443/a?b=c%20d",
        "https://unknown.example.org/x",
        "https://93.184.215.14",
        "https://0x5d.0xb8d70e/",
      ]
      assert.deepStrictEqual(yield* checking({}, given), [
        "https://example.com/a?b=c%20d",
        "https://unknown.example.org/x",
        "https://93.184.215.14/",
        "https://93.184.215.14/",
      ])
    }),
  )

  it.effect("accept only the configured ports", () =>
    Effect.gen(function* () {
      const given = ["https://example.com:8443/", "https://example.com:9443/", "https://example.com/"]
      const [first, second, third] = yield* checking({ "webhooks.ports": "443,8443" }, given)
      assert.strictEqual(first, given[0])
      assert.match(second ?? "", /port must be 443 or 8443/)
      assert.strictEqual(third, given[2])
    }),
  )

  it.effect("accept http, any port and this machine in insecure mode, and nothing else", () =>
    Effect.gen(function* () {
      const allowed = [
        "http://localhost:3000/hook",
        "http://127.0.0.1:9/",
        "http://[::1]:80/",
        "https://example.com:5555/",
      ]
      assert.deepStrictEqual(yield* checking(insecure, allowed), [
        "http://localhost:3000/hook",
        "http://127.0.0.1:9/",
        "http://[::1]/",
        "https://example.com:5555/",
      ])
      const refused = [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0.0.0.0:3000/",
        "http://192.168.0.1/",
        "http://mixed.example.com/",
        "http://printer/",
        "http://metadata.google.internal/",
        "ftp://localhost/",
        "http://user@localhost/",
      ]
      for (const answer of yield* checking(insecure, refused)) assert.match(answer, /^refused: /)
    }),
  )
})
