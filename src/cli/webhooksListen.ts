import { Config, Duration, Effect, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { DurationText } from "#src/platform/config/Setting.ts"
import { redact } from "#src/platform/text/redact.ts"
import { deliveryJson, formatDelivery } from "#src/webhooks/listen/format.ts"
import { listen as receive } from "#src/webhooks/listen/listen.ts"
import { json } from "./configured.ts"
import { print } from "./print.ts"

const whole = (name: string, min: number, max: number) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= min && value <= max,
      () => `a whole number from ${min} to ${max}`,
    ),
  )

const readDelay = Schema.decodeOption(
  DurationText.check(Schema.makeFilter((delay) => Duration.isLessThanOrEqualTo(delay, Duration.hours(1)))),
)

const write = (text: string) => void process.stdout.write(`${redact(text)}\n`)

export const listen = Command.make(
  "listen",
  {
    port: whole("port", 0, 65_535).pipe(
      Flag.withDescription("Port to listen on; 0 picks a free one"),
      Flag.withDefault(9_000),
    ),
    host: Flag.String("host").pipe(Flag.withDescription("Address to listen on"), Flag.withDefault("127.0.0.1")),
    secret: Flag.Redacted("secret").pipe(
      Flag.withDescription("Secret of the webhook, shown when it was created; defaults to WEBHOOK_SECRET"),
      Flag.filter(
        (secret) => Redacted.value(secret) !== "",
        () => "the secret of the webhook, for example whsec_…",
      ),
      Flag.withFallbackConfig(Config.Redacted("WEBHOOK_SECRET")),
    ),
    fail: whole("fail", 0, 1_000_000).pipe(
      Flag.withDescription("Answer this many deliveries with 500 first, to test retries"),
      Flag.withDefault(0),
    ),
    status: whole("status", 200, 599).pipe(
      Flag.withDescription("Status code of the responses, for example 503 or 410"),
      Flag.withDefault(200),
    ),
    delay: Flag.String("delay").pipe(
      Flag.withDescription("Delay before each response, for example 500ms or 6s"),
      Flag.filterMap(readDelay, () => "a duration of at most 1h, for example 500ms or 6s"),
      Flag.withDefault(Duration.zero),
    ),
    json,
  },
  (flags) =>
    Effect.gen(function* () {
      const isColoured = process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === ""
      const port = yield* receive({
        ...flags,
        onDelivery: (delivery) =>
          write(flags.json ? JSON.stringify(deliveryJson(delivery)) : formatDelivery(delivery, isColoured)),
      })
      const url = `http://${flags.host.includes(":") ? `[${flags.host}]` : flags.host}:${port}/`
      yield* print(flags.json ? JSON.stringify({ listening: url }) : `listening on ${url} (any path; Ctrl-C to stop)`)
      return yield* Effect.never
    }).pipe(Effect.scoped),
).pipe(
  Command.withDescription("Receive deliveries on this machine, verify their signatures and print them"),
  Command.withExamples([
    {
      command: "presage webhooks listen --port 9000 --secret whsec_… --fail 2",
      description: "Refuse the first two deliveries and watch the retries",
    },
  ]),
)
