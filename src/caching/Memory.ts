import type { Answer } from "./Answer.ts"

const ignore = () => undefined

/** Least-recently-used cache of answers, limited in bytes. */
export class Memory {
  /** In order of last use. */
  readonly #answers = new Map<string, Answer>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#answers.size
  }

  get(id: string): Answer | undefined {
    const found = this.#answers.get(id)
    if (found === undefined) return undefined
    this.#answers.delete(id)
    this.#answers.set(id, found)
    return found
  }

  put(id: string, answer: Answer): void {
    this.remove(id)
    this.#answers.set(id, answer)
    this.#bytes += answer.size
    answer.onGrowth((more) => {
      this.#bytes += more
      this.#evict()
    })
    this.#evict()
  }

  remove(id: string): void {
    const found = this.#answers.get(id)
    if (found === undefined) return
    this.#answers.delete(id)
    this.#bytes -= found.size
    found.onGrowth(ignore)
  }

  #evict(): void {
    for (const id of this.#answers.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.remove(id)
    }
  }
}
