import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { redactor, secretsOf } from "#src/recording/redaction.ts"
import { allSettings } from "#src/roles/settings.ts"

const settings = {
  "upstream.rpc-url":
    "https://user:pass-word@node.example/v2/key-in-the-path,https://other.example/?apikey=key-in-query",
  "upstream.datastreams-id": "client-id",
  "upstream.datastreams-secret": 'a "quoted" secret',
  "upstream.polybolt-key": "api-key-of-clob",
  "upstream.polybolt-passphrase": "1234",
  "database.url": "postgres://presage:of-the-database@db.internal/presage",
}

const configuration = Configuration.layer({
  declared: allSettings,
  file: { path: "none", values: {} },
  env: {},
  flags: settings,
})

it.effect("No secret of the settings survives in a recorded line, however an upstream writes it", () =>
  Effect.gen(function* () {
    const secrets = secretsOf(yield* Configuration, allSettings)
    const clean = redactor(secrets)
    const echoed = JSON.stringify({
      urls: settings["upstream.rpc-url"].split(","),
      path: "/v2/key-in-the-path",
      query: `?q=${encodeURIComponent('a "quoted" secret')}`,
      secret: 'a "quoted" secret',
      id: "client-id",
      key: "api-key-of-clob",
      passphrase: "1234",
      url: settings["database.url"],
      header: "Bearer abcdefghijkl",
    })
    const line = clean(echoed)
    for (const secret of [
      ...["key-in-the-path", "key-in-query", "pass-word", "quoted", "client-id", "api-key-of-clob"],
      ...['"1234"', "of-the-database", "abcdefghijkl"],
    ])
      assert.notInclude(line, secret)
    assert.doesNotThrow(() => JSON.parse(line))
    // A short secret is part of many numbers.
    assert.strictEqual(clean('{"price":"0.12345"}'), '{"price":"0.12345"}')
  }).pipe(Effect.provide(configuration)),
)
