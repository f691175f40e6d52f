import { assert, describe, it } from "@effect/vitest"
import { redact } from "#src/platform/text/redact.ts"

describe("redact", () => {
  const secret = "Zx9kQ2mW7pLr4TnB8vYc1DfG5hJs3A"
  const leaks = [
    `psg_live_${secret}`,
    `GET /v1/crypto/ticks?symbol=BTC&key=psg_live_${secret}`,
    `GET /v1/x?key=${secret}&limit=1`,
    `{"url":"/v1/x?key=${secret}"}`,
    `authorization: Bearer ${secret}`,
    `{"x-api-key":"${secret}"}`,
    `x-api-key: ${secret}`,
    `whsec_${secret}`,
    `postgres://presage:${secret}@127.0.0.1:5432/presage`,
    `redis://:${secret}@127.0.0.1:6379`,
  ]
  for (const text of leaks) {
    it(`hides the secret in ${text.replaceAll(secret, "…")}`, () => {
      assert.notInclude(redact(text), secret)
      assert.include(redact(text), "<redacted>")
    })
  }

  it("leaves ordinary text alone", () => {
    const text = 'job parked: payload.key=3 at http://localhost:8080/docs?page=2 {"monkey":"banana"}'
    assert.strictEqual(redact(text), text)
  })
})
