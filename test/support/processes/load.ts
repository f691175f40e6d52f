import { Agent, get } from "node:http"

/** Result of a request: a status or an error. */
interface Outcome {
  readonly status?: number
  readonly error?: string
}

const request = (url: string, agent: Agent) =>
  new Promise<Outcome>((resolve) => {
    const sent = get(url, { agent }, (answer) => {
      answer.on("error", (error) => resolve({ error: error.message }))
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0 })).resume()
    })
    sent.on("error", (error: NodeJS.ErrnoException) => resolve({ error: error.code ?? error.message }))
  })

export interface Load {
  readonly answered: () => number
  /** Resolves with the failures when the server no longer listens. */
  readonly failures: Promise<ReadonlyArray<string>>
}

/** Clients with one connection each that repeat requests until the server no longer listens. */
export const keepAliveLoad = (clients: number, url: string): Load => {
  let answered = 0
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const failures: Array<string> = []
    while (true) {
      const { status, error } = await request(url, agent)
      if (error === "ECONNREFUSED") return failures
      if (status === 200) answered++
      else failures.push(error ?? `status ${status}`)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  return { answered: () => answered, failures: all.then((lists) => lists.flat()) }
}
