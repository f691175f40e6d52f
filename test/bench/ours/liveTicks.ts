import { coins, tickSources } from "#src/domain/Tick.ts"
import { keys } from "#src/mesh/Keys.ts"
import { signedHeaders } from "#src/upstream/oracle/DataStreams.ts"
import { rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"
import { feedIds } from "#src/upstream/oracle/wireValues.ts"
import { expose } from "../support/expose.ts"
import {
  type ObservedTicks,
  type ReceivedMessage,
  type TicksSubject,
  type TimedSource,
  ticksSeen,
} from "../support/live.ts"
import { drain, endpointsAt, follow, isListening, listen, now, redis, stopListening } from "./watcher.ts"

const echoStream = `${redis.prefix}:bench:echo`
const echoEvery = 50

const received: Record<TimedSource, Array<ReceivedMessage>> = { oracle_data_streams: [], platform_oracle: [] }
const published = new Map<string, number>()
const echoes: Array<number> = []

const followAll = async () => {
  const { ticks } = keys(redis.prefix)
  const streams = tickSources.flatMap((source) => coins.map((coin) => ticks(coin, source)))
  await follow(streams, (id, _, at) => published.set(id, at))
  await follow([echoStream], (_, [, sentAt], at) => echoes.push(at - Number(sentAt)))
}

const listenToAll = async (venue: string) => {
  const { rtds, datastreamsSocket, datastreamsCredentials: credentials } = await endpointsAt(venue)
  const feeds = `${datastreamsSocket}/api/v1/ws?feedIDs=${coins.map((coin) => feedIds[coin]).join()}`
  const headers = credentials === undefined ? {} : signedHeaders(credentials, feeds, Date.now())
  await listen(rtds, (message) => received.platform_oracle.push(message), { subscribe: rtdsSubscription("spot") })
  await listen(feeds, (message) => received.oracle_data_streams.push(message), { headers })
}

expose<TicksSubject>({
  start: async (venue) => {
    await followAll()
    await listenToAll(venue)
    setInterval(() => {
      if (isListening()) redis.commands.xadd(echoStream, "MAXLEN", "~", 100, "*", "at", String(now()))
    }, echoEvery)
  },
  observed: async (since) => {
    await stopListening()
    const ticksOf = (source: TimedSource) => {
      const counted = received[source].filter(({ at }) => at >= since)
      return ticksSeen(source, counted, published)
    }
    const result = (): ObservedTicks => ({
      ticks: { oracle_data_streams: ticksOf("oracle_data_streams"), platform_oracle: ticksOf("platform_oracle") },
      redis: echoes,
    })
    await drain(() => Object.values(result().ticks).every((late) => !late.includes(null)))
    return result()
  },
})
