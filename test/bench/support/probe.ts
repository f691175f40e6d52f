import { Agent, get } from "node:http"
import { answerAs } from "./answerAs.ts"

export interface ProbeSubject {
  /** Asks for this every so many milliseconds, whether the one before was answered or not. */
  readonly begin: (port: number, path: string, everyMillis: number) => Promise<void>
  /** Milliseconds that each took since it began. */
  readonly end: () => Promise<ReadonlyArray<number>>
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
let timer: NodeJS.Timeout | undefined
let latencies: Array<number> = []

const ask = (port: number, path: string) => {
  const since = performance.now()
  get({ port, path, host: "127.0.0.1", agent }, (response) => {
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`)
    response.resume().on("end", () => latencies.push(performance.now() - since))
  })
}

answerAs<ProbeSubject>({
  begin: async (port, path, everyMillis) => {
    latencies = []
    timer = setInterval(() => ask(port, path), everyMillis)
  },
  end: async () => {
    clearInterval(timer)
    return latencies
  },
})
