import { createHmac, randomUUID } from "node:crypto"
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { Agent, request } from "undici"
import { expose } from "../support/expose.ts"
import { concurrency, cpuUsage, type DeliverySubject, secret, tradeOf } from "../support/webhooks.ts"

interface Delivery {
  readonly url: string
  readonly id: string
  readonly body: string
}

// As in BullMQ's guide: separate connections, unlimited retries for the worker's, attempts with backoff.
const url = process.env.REDIS_URL ?? ""
const name = "bench-bullmq-undici"
const queue = new Queue<Delivery>(name, {
  connection: new Redis(url),
  defaultJobOptions: { attempts: 5, backoff: { type: "exponential", delay: 10_000 }, removeOnComplete: true },
})
await queue.waitUntilReady()

const agent = new Agent({ keepAliveTimeout: 4_000, headersTimeout: 5_000, bodyTimeout: 5_000 })

let left = 0
let onDrained: () => void = () => undefined

const worker = new Worker<Delivery>(
  name,
  async ({ data: { url, id, body } }) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")
    const response = await request(url, {
      dispatcher: agent,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "x-webhook-timestamp": timestamp,
        "x-webhook-signature": `sha256=${signature}`,
      },
      body,
    })
    await response.body.dump()
    if (response.statusCode >= 300) throw new Error(`status ${response.statusCode}`)
  },
  { connection: new Redis(url, { maxRetriesPerRequest: null }), concurrency },
)
worker.on("completed", () => {
  if (--left === 0) onDrained()
})
await worker.waitUntilReady()

const batch = 1000
let urls: ReadonlyArray<string> = []

const deliveryTo = (url: string, block: number): Delivery => {
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ id, type: "trade", created_at: new Date().toISOString(), data: tradeOf(block) })
  return { url, id, body }
}

expose<DeliverySubject>({
  setTargets: async (targets) => {
    urls = targets
  },
  deliver: async (count) => {
    left = count
    for (let from = 0; from < count; from += batch) {
      const some = Array.from({ length: Math.min(batch, count - from) }, (_, i) =>
        deliveryTo(urls[(from + i) % urls.length] ?? "", from + i),
      )
      await queue.addBulk(some.map((data) => ({ name, data })))
    }
  },
  drained: () =>
    new Promise((resolve) => {
      onDrained = resolve
      if (left === 0) resolve()
    }),
  usage: async () => cpuUsage(),
})
