import { coins, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { keys } from "#src/mesh/Keys.ts"
import { feedIds } from "#src/upstream/oracle/names.ts"
import { rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"
import { signedHeaders } from "#src/upstream/oracle/signature.ts"
import { answerAs } from "../support/answerAs.ts"
import { type Noted, type ObservedTicks, type TicksSubject, ticksSeen } from "../support/live.ts"
import { endpointsAt, follow, hearNoMore, isHearing, listen, now, redis, settled } from "./watcher.ts"

const echoStream = `${redis.prefix}:bench:echo`
const echoEvery = 50

const told: Record<TickSource, Array<Noted>> = { oracle_data_streams: [], platform_oracle: [] }
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
  await listen(rtds, (noted) => told.platform_oracle.push(noted), { hello: rtdsSubscription })
  await listen(feeds, (noted) => told.oracle_data_streams.push(noted), { headers })
}

answerAs<TicksSubject>({
  watch: async (venue) => {
    await followAll()
    await listenToAll(venue)
    setInterval(() => {
      if (isHearing()) redis.commands.xadd(echoStream, "MAXLEN", "~", 100, "*", "at", String(now()))
    }, echoEvery)
  },
  observed: async (since) => {
    await hearNoMore()
    const ticksOf = (source: TickSource) => {
      const counted = told[source].filter(({ at }) => at >= since)
      return ticksSeen(source, counted, published)
    }
    const look = (): ObservedTicks => ({
      ticks: { oracle_data_streams: ticksOf("oracle_data_streams"), platform_oracle: ticksOf("platform_oracle") },
      redis: echoes,
    })
    await settled(() => Object.values(look().ticks).every((late) => !late.includes(null)))
    return look()
  },
})
