import type { Answer } from "./Answer.ts"

const ignore = () => undefined

/** Answers ready to be sent, within a number of bytes; the longest unused go first. */
export class Memory {
  /** In the order of last use. */
  readonly #answers = new Map<string, Answer>()
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
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
    answer.keptBy((more) => {
      this.#bytes += more
      this.#shrink()
    })
    this.#shrink()
  }

  remove(id: string): void {
    const found = this.#answers.get(id)
    if (found === undefined) return
    this.#answers.delete(id)
    this.#bytes -= found.size
    found.keptBy(ignore)
  }

  #shrink(): void {
    for (const id of this.#answers.keys()) {
      if (this.#bytes <= this.#most) return
      this.remove(id)
    }
  }
}
