import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { batchesOf } from "../support/batches.ts"
import { expose } from "../support/expose.ts"
import { batch, concurrency, type JobsSubject, payloadsOf, stopwatch } from "../support/jobs.ts"

// As in BullMQ's guide: separate connections, unlimited retries for the worker's.
const url = process.env.REDIS_URL ?? ""
const name = "bench-bullmq"
const queue = new Queue(name, { connection: new Redis(url) })
const workerConnection = new Redis(url, { maxRetriesPerRequest: null })
await queue.waitUntilReady()

/** The options that `Jobs` sets on ours. */
const options = {
  removeOnComplete: true,
  removeOnFail: { age: 7 * 86_400, count: 10_000 },
  attempts: 5,
  backoff: { type: "custom" },
}
let round = 0

expose<JobsSubject>({
  add: async (count) => {
    const batches = batchesOf(payloadsOf(count, ++round), batch)
    const since = performance.now()
    for (const each of batches) {
      await queue.addBulk(
        each.map((data) => ({ name, data, opts: { ...options, deduplication: { id: data.deliveryId } } })),
      )
    }
    return (count * 1000) / (performance.now() - since)
  },
  work: async (count) => {
    const { tick, finished } = stopwatch(count)
    const worker = new Worker(name, async () => tick(), {
      connection: workerConnection,
      concurrency,
      settings: { backoffStrategy: (attempts) => attempts * 1000 },
    })
    const rate = await finished
    await worker.close()
    return rate
  },
})
