import { createHmac } from "node:crypto"
import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "#test/support/processes/Process.ts"

const secret = "whsec_0123456789abcdef0123456789abcdef"

const post = (url: string, body: string, by = secret) =>
  Effect.promise(async () => {
    const time = Math.floor(Date.now() / 1000)
    const answer = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "x-webhook-id": "wh_0123456789ab",
        "x-webhook-attempt": "1",
        "x-webhook-timestamp": String(time),
        "x-webhook-signature": `sha256=${createHmac("sha256", by).update(`${time}.${body}`).digest("hex")}`,
      },
    })
    await answer.text()
    return answer.status
  })

/** Sends invalid HTTP and waits until the other side disconnects. */
const babble = (port: number, text: string) =>
  Effect.callback<void>((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.void))
    socket.resume()
  })

const delivery = (id: string) => JSON.stringify({ id, type: "trade", created_at: "now", data: { price: 0.5 } })

it.live("presage webhooks listen verifies deliveries, responds as configured and survives invalid requests", () =>
  Effect.gen(function* () {
    const listening = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const process = yield* start({
        name: `listen ${args.join(" ")}`,
        file: "src/main.ts",
        args: ["webhooks", "listen", "--port", "0", ...args],
        env: { WEBHOOK_SECRET: secret },
      })
      const line = yield* process.waitForLine(/listening/, 60_000)
      const [url = ""] = /http:\/\/[^" ]+/.exec(line) ?? []
      return { process, url }
    })
    const [plain, machine] = yield* Effect.all([listening("--fail", "1"), listening("--json", "--status", "410")], {
      concurrency: 2,
    })

    assert.strictEqual(yield* post(plain.url, delivery("evt_1"), "whsec_another"), 401)
    assert.deepStrictEqual(
      yield* Effect.forEach([1, 2, 3], () => post(`${plain.url}any/path`, delivery("evt_1"))),
      [500, 200, 200],
    )
    const port = Number(new URL(plain.url).port)
    yield* babble(port, "\0\u0001\u0002 hello\r\n\r\n")
    assert.strictEqual((yield* Effect.promise(() => fetch(plain.url))).status, 405)
    assert.strictEqual(yield* post(plain.url, "x".repeat(1_100_000)), 413)
    assert.strictEqual(yield* post(plain.url, "\0 no JSON"), 200)
    yield* plain.process.waitForLine(/not a delivery/, 10_000)
    const lines = plain.process.lines.slice(1)
    assert.match(lines[0] ?? "", /^[\d:.]{12} {2}trade {2}attempt 1 {2}refused: not signed with this secret {2}-> 401/)
    assert.strictEqual(lines[1], '  {"price":0.5}')
    assert.match(lines[2] ?? "", /attempt 1 {2}signature ok {2}-> 500 {2}evt_1$/)
    assert.match(lines[4] ?? "", /attempt 1 {2}signature ok {2}-> 200 {2}evt_1$/)
    assert.match(lines[6] ?? "", /attempt 1 {2}signature ok {2}duplicate {2}-> 200 {2}evt_1$/)
    assert.notInclude(plain.process.lines.join(), "\u001b")

    assert.strictEqual(yield* post(machine.url, delivery("evt_2")), 410)
    const printed = JSON.parse(yield* machine.process.waitForLine(/evt_2/, 10_000))
    assert.deepInclude(printed, { event_id: "evt_2", verified: true, answered: 410, duplicate: false, attempt: "1" })
    assert.deepStrictEqual(printed.data, { price: 0.5 })
    plain.process.stop("SIGINT")
    machine.process.stop()
    assert.deepStrictEqual([yield* plain.process.exit(10_000), yield* machine.process.exit(10_000)], [0, 0])
  }),
)
