import { createHmac, randomUUID } from "node:crypto"
import { Agent, request } from "undici"
import { expose } from "../support/expose.ts"
import { concurrency, cpuUsage, type DeliverySubject, secret, tradeOf } from "../support/webhooks.ts"

/** No queue and no persistence: the upper limit of what one process can sign and send. */
const agent = new Agent({ keepAliveTimeout: 4_000, headersTimeout: 5_000, bodyTimeout: 5_000 })
let urls: ReadonlyArray<string> = []
let sending: Promise<unknown> = Promise.resolve()

const send = async (index: number) => {
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ id, type: "trade", created_at: new Date().toISOString(), data: tradeOf(index) })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": `sha256=${signature}`,
  }
  const url = urls[index % urls.length] ?? ""
  const response = await request(url, { dispatcher: agent, method: "POST", headers, body })
  await response.body.dump()
}

expose<DeliverySubject>({
  setTargets: async (targets) => {
    urls = targets
  },
  deliver: async (count) => {
    let next = 0
    const sendNext = async (): Promise<void> => {
      while (next < count) await send(next++)
    }
    sending = Promise.all(Array.from({ length: concurrency }, sendNext))
  },
  drained: async () => void (await sending),
  usage: async () => cpuUsage(),
})
