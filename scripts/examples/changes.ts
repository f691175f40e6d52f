import { once } from "node:events"
import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"
import { ask, type Choices, type Service } from "./world.ts"

/** One request that changes something. */
export interface Step {
  readonly operation: string
  readonly path: string
  readonly body?: unknown
  readonly status: number
}

type Perform = (step: Step) => Promise<unknown>

const field = (body: unknown, name: string): string => String((body as Readonly<Record<string, unknown>>)[name])

const keys = async (perform: Perform) => {
  const body = { name: "docs" }
  const made = await perform({ operation: "keys.create", path: "/v1/keys", body, status: 201 })
  await perform({ operation: "keys.list", path: "/v1/keys", status: 200 })
  await perform({
    operation: "keys.rename",
    path: `/v1/keys/${field(made, "id")}`,
    body: { name: "docs and tests" },
    status: 200,
  })
  const rotated = await perform({
    operation: "keys.rotate",
    path: `/v1/keys/${field(made, "id")}/rotate`,
    status: 201,
  })
  await perform({ operation: "keys.revoke", path: `/v1/keys/${field(rotated, "id")}`, status: 200 })
}

/** Accepts every delivery. */
export const receiver = async () => {
  const server = createServer((request, response) => request.resume().on("end", () => response.end("ok")))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/presage`, close: () => server.close() }
}

/** The id of an event that was delivered, once there is one. */
const deliveredEvent = async (read: () => Promise<unknown>): Promise<string> => {
  for (;;) {
    const found = /"(evt_[\w-]+)"/.exec(JSON.stringify(await read()))?.[1]
    if (found !== undefined) return found
    await setTimeout(1_000)
  }
}

const webhooks = async (perform: Perform, [first]: ReadonlyArray<Choices>) => {
  const { url, close } = await receiver()
  const body = { url, event_types: ["large_trade"], filters: { min_amount_usd: 1000 }, description: "Large trades" }
  const made = await perform({ operation: "webhooks.create", path: "/v3/webhooks", body, status: 201 })
  const at = `/v3/webhooks/${field(made, "id")}`
  await perform({ operation: "webhooks.list", path: "/v3/webhooks", status: 200 })
  await perform({ operation: "webhooks.get", path: at, status: 200 })
  await perform({
    operation: "webhooks.update",
    path: at,
    body: { filters: { min_amount_usd: 100 }, active: true },
    status: 200,
  })
  await perform({
    operation: "webhooks.preview",
    path: "/v3/webhooks/preview",
    body: { event_types: ["large_trade"], filters: { min_amount_usd: 100 } },
    status: 200,
  })
  await perform({ operation: "webhooks.test", path: `${at}/test`, status: 200 })
  const since = Number(first?.["SECOND"]) - 3600
  await perform({ operation: "webhooks.replay", path: `${at}/replay`, body: { since }, status: 200 })
  const event = await deliveredEvent(() =>
    perform({ operation: "webhooks.deliveries", path: `${at}/deliveries?limit=2`, status: 200 }),
  )
  await perform({ operation: "webhooks.delivery", path: `${at}/deliveries/${event}`, status: 200 })
  await perform({ operation: "webhooks.health", path: "/v3/webhooks/health", status: 200 })
  await perform({ operation: "webhooks.redeliver", path: `${at}/deliveries/${event}/redeliver`, status: 200 })
  await perform({ operation: "webhooks.rotate", path: `${at}/rotate-secret`, status: 200 })
  await perform({ operation: "webhooks.remove", path: at, status: 200 })
  close()
}

const wallets = async (perform: Perform, choices: ReadonlyArray<Choices>) => {
  const addresses = choices.slice(0, 2).map(({ WALLET }) => WALLET)
  const pool = "/v2/copy-pnl/wallets"
  await perform({ operation: "copyPnl.add", path: pool, body: { addresses }, status: 200 })
  await perform({ operation: "copyPnl.list", path: pool, status: 200 })
  await perform({ operation: "copyPnl.batch", path: "/v2/copy-pnl/batch", body: { addresses }, status: 200 })
  await perform({ operation: "copyPnl.remove", path: pool, body: { addresses: addresses.slice(1) }, status: 200 })
  await perform({
    operation: "walletPnl.batch",
    path: "/v3/wallets/batch",
    body: { wallets: addresses },
    status: 200,
  })
}

/** Operations that change something, in an order in which each works. One that fails is reported. */
export const changes = async (perform: Perform, choices: ReadonlyArray<Choices>): Promise<void> => {
  for (const part of [keys, webhooks, wallets])
    await part(perform, choices).catch((error) => process.stderr.write(`${error.message}\n`))
}

const filtersFor = ({ WALLET, BUILDER, TOKEN }: Choices): Readonly<Record<string, unknown>> => ({
  builder_codes: [BUILDER],
  wallet_addresses: [WALLET],
  token_ids: [TOKEN],
})

interface EventType {
  readonly name: string
  readonly required_filters: ReadonlyArray<string>
}

/** A delivery of every event type that happened lately. */
export const deliveries = async (service: Service, choices: ReadonlyArray<Choices>) => {
  const listed = (await ask(service, "GET", "/v3/webhooks/event-types")).body as {
    readonly event_types: ReadonlyArray<EventType>
  }
  const found: Record<string, unknown> = {}
  for (const { name, required_filters: required } of listed.event_types) {
    for (const choice of choices) {
      const known = filtersFor(choice)
      const filters = Object.fromEntries(required.map((filter) => [filter, known[filter]]))
      const large = name === "large_trade" && { min_amount_usd: 100 }
      const body = { event_types: [name], filters: { ...filters, ...large } }
      const { samples = [] } = (await ask(service, "POST", "/v3/webhooks/preview", body)).body as {
        readonly samples?: ReadonlyArray<unknown>
      }
      if (samples[0] !== undefined) found[name] = samples[0]
      if (samples[0] !== undefined || required.length === 0) break
    }
    if (found[name] === undefined) process.stderr.write(`no ${name} happened lately\n`)
  }
  return found
}
