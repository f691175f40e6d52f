import { createHmac, randomUUID } from "node:crypto"
import { Agent, request } from "undici"
import { answerAs } from "../support/answerAs.ts"
import { concurrency, type DeliverySubject, secret, tradeOf, used } from "../support/webhooks.ts"

/** Nobody hands anything over, nothing is kept: the limit of what one process can sign and send. */
const agent = new Agent({ keepAliveTimeout: 4_000, headersTimeout: 5_000, bodyTimeout: 5_000 })
let urls: ReadonlyArray<string> = []
let sending: Promise<unknown> = Promise.resolve()

const send = async (place: number) => {
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ id, type: "trade", created_at: new Date().toISOString(), data: tradeOf(place) })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": `sha256=${signature}`,
  }
  const url = urls[place % urls.length] ?? ""
  const answer = await request(url, { dispatcher: agent, method: "POST", headers, body })
  await answer.body.dump()
}

answerAs<DeliverySubject>({
  aim: async (given) => {
    urls = given
  },
  deliver: async (count) => {
    let next = 0
    const sendNext = async (): Promise<void> => {
      while (next < count) await send(next++)
    }
    sending = Promise.all(Array.from({ length: concurrency }, sendNext))
  },
  settled: async () => void (await sending),
  use: async () => used(),
})
