import { LRUCache } from "lru-cache"
import type { Answer } from "./Answer.ts"

const ignore = () => undefined

/** Answers that live at most so long are removed when their life ends: there are many, and they would displace others. */
const briefMillis = 1_000

/** Least-recently-used cache of answers, limited in bytes. An answer larger than the whole cache is not cached. */
export class Memory {
  readonly #answers: LRUCache<string, Answer>

  constructor(maxBytes: number) {
    this.#answers = new LRUCache<string, Answer>({
      // No answer is as small as one byte: a limit of 0 caches none.
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ size }) => size,
      ttlAutopurge: true,
      dispose: (answer) => answer.onGrowth(ignore),
    })
  }

  get bytes(): number {
    return this.#answers.calculatedSize
  }

  get count(): number {
    return this.#answers.size
  }

  get(id: string): Answer | undefined {
    return this.#answers.get(id)
  }

  put(id: string, answer: Answer): void {
    // Setting the same answer again would not measure it again.
    this.#answers.delete(id)
    const life = answer.times.staleUntil - answer.times.storedAt
    this.#answers.set(id, answer, life <= briefMillis ? { ttl: Math.max(1, life) } : {})
    if (this.#answers.has(id)) answer.onGrowth(() => this.put(id, answer))
  }

  remove(id: string): void {
    this.#answers.delete(id)
  }
}
