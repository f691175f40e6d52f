import { createHmac, randomUUID } from "node:crypto"
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { Agent, request } from "undici"
import { answerAs } from "../support/answerAs.ts"
import { concurrency, type DeliverySubject, secret, tradeOf, used } from "../support/webhooks.ts"

interface Delivery {
  readonly url: string
  readonly id: string
  readonly body: string
}

// As in BullMQ's guide: a connection of its own for each, unlimited retries for the worker, attempts with backoff.
const url = process.env.REDIS_URL ?? ""
const name = "bench-bullmq-undici"
const queue = new Queue<Delivery>(name, {
  connection: new Redis(url),
  defaultJobOptions: { attempts: 5, backoff: { type: "exponential", delay: 10_000 }, removeOnComplete: true },
})
await queue.waitUntilReady()

const agent = new Agent({ keepAliveTimeout: 4_000, headersTimeout: 5_000, bodyTimeout: 5_000 })

let left = 0
let settle: () => void = () => undefined

const worker = new Worker<Delivery>(
  name,
  async ({ data: { url, id, body } }) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")
    const answer = await request(url, {
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
    await answer.body.dump()
    if (answer.statusCode >= 300) throw new Error(`status ${answer.statusCode}`)
  },
  { connection: new Redis(url, { maxRetriesPerRequest: null }), concurrency },
)
worker.on("completed", () => {
  if (--left === 0) settle()
})
await worker.waitUntilReady()

const batch = 1000
let urls: ReadonlyArray<string> = []

const deliveryTo = (url: string, block: number): Delivery => {
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ id, type: "trade", created_at: new Date().toISOString(), data: tradeOf(block) })
  return { url, id, body }
}

answerAs<DeliverySubject>({
  aim: async (given) => {
    urls = given
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
  settled: () =>
    new Promise((resolve) => {
      settle = resolve
      if (left === 0) resolve()
    }),
  use: async () => used(),
})
