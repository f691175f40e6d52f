import { Connection, type Frame, type News, type Socket } from "./connection.ts"
import { Picture } from "./picture.ts"
import { clearBoard, part, show, tell } from "./render.ts"
import { duration, refusalAdvice, whole, whyRefused } from "./words.ts"

const storedKey = "presage-key"
const now = () => performance.timeOrigin + performance.now()

/** Where the gateway is; a page that came over TLS may only open sockets over TLS. */
const gateway = new URL(document.body.dataset["gateway"] ?? "ws://localhost:8081/ws")
if (location.protocol === "https:" && document.body.dataset["ours"] === "1") gateway.protocol = "wss:"

const ask = async (
  path: string,
  key: string,
): Promise<{ status: number | undefined; body: Record<string, unknown> }> => {
  try {
    const answer = await fetch(path, { headers: { "x-api-key": key }, cache: "no-store" })
    return { status: answer.status, body: await answer.json().catch(() => ({})) }
  } catch {
    return { status: undefined, body: {} }
  }
}

let connection: Connection | undefined
let picture = new Picture()
let reconnects = 0

const say = (words: string) => tell(words, now())

const state = (name: "idle" | "waiting" | "open" | "stopped", words: string) => {
  part("state").dataset["state"] = name
  if (part("state-words").textContent !== words) part("state-words").textContent = words
}

const enter = (isIn: boolean) => {
  part("entrance").hidden = isIn
  part("board").hidden = !isIn
  part("leave").hidden = !isIn
}

const offerMarkets = async (key: string, words: string) => {
  part("follow-words").textContent = words
  part("follow").hidden = false
  const { body } = await ask("/v1/crypto/active", key)
  const markets = Array.isArray(body["markets"]) ? body["markets"] : []
  part("markets").replaceChildren(
    ...markets.map(({ slug, title }: Readonly<Record<string, string>>) => new Option(title, slug)),
  )
  const [first] = markets
  const input = part<HTMLInputElement>("market")
  if (input.value === "" && typeof first?.slug === "string") input.value = first.slug
}

const acknowledged = (frame: Frame) => {
  const {
    subscription_type: stream,
    recovered,
    missed,
    reason,
    last_close: closed,
  } = frame as Frame & {
    readonly missed?: { readonly after: number; readonly until: number }
    readonly last_close?: { readonly reason: string }
  }
  if (stream === "fills") part("following").textContent = part("following").dataset["words"] ?? ""
  if (closed !== undefined) say(`The last connection was ended: ${closed.reason}`)
  if (recovered === true) say(`Resumed ${stream === "oracle" ? "prices" : "fills"} where they stopped.`)
  if (recovered === false) {
    const range = missed === undefined ? "" : ` Events ${missed.after} to ${missed.until} were missed.`
    say(
      `Could not resume ${stream === "oracle" ? "prices" : "fills"}: ${String(reason ?? "too much was missed")}.${range}`,
    )
  }
  if (Array.isArray(frame["warnings"]))
    for (const warning of frame["warnings"]) say(String(warning?.message ?? warning))
}

const heard = (frame: Frame) => {
  picture.hear(frame, now())
  if (frame.type === "subscribed") acknowledged(frame)
  if (frame.type === "caught_up" && Number(frame["replayed"]) > 0)
    say(`${whole(Number(frame["replayed"]))} older events were replayed.`)
  if (frame.type === "stale")
    say(`${String(frame["source"])} is stale: ${String(frame["reason"] ?? "nothing new comes from it")}.`)
  if (frame.type === "fresh") say(`${String(frame["source"])} is fresh again.`)
  if (frame.type === "lagged")
    say(`This browser fell behind: events ${String(frame["from_seq"])} to ${String(frame["to_seq"])} follow late.`)
  if (frame.type === "warning") say(String(frame["message"]))
}

const stopped = (words: string) => {
  state("stopped", "Not connected")
  sessionStorage.removeItem(storedKey)
  enter(false)
  part("key-error").textContent = words
  part<HTMLInputElement>("key").focus()
}

const onNews = (key: string) => (news: News) => {
  switch (news.kind) {
    case "connecting":
      return state("waiting", news.attempt === 1 ? "Connecting…" : `Connecting again (try ${news.attempt})…`)
    case "open":
      if (news.again) reconnects += 1
      state("open", "Connected")
      enter(true)
      return say(news.again ? "Connected again." : "Connected.")
    case "waiting":
      state("waiting", `Trying again in ${duration(news.millis)}`)
      enter(true)
      return say(`${news.words} Trying again in ${duration(news.millis)}.`)
    case "refused": {
      say(news.words)
      const advice = refusalAdvice[news.code]
      if (news.wish === "fills") void offerMarkets(key, advice ?? news.words)
      return
    }
    case "stopped":
      return stopped(news.words)
    case "pinged":
      return picture.pinged(now())
    case "frame":
      return heard(news.frame)
  }
}

const connect = (key: string) => {
  connection?.stop()
  clearBoard()
  picture = new Picture()
  reconnects = 0
  part("follow").hidden = true
  part("following").dataset["words"] = "every market"
  const world = {
    open: () => new WebSocket(`${gateway.href}?key=${encodeURIComponent(key)}`) as Socket,
    after: (millis: number, run: () => void) => {
      const timer = setTimeout(run, millis)
      return () => clearTimeout(timer)
    },
    now,
    random: Math.random,
    whyRefused: async () => {
      const { status, body } = await ask("/v1/status", key)
      return whyRefused(status, typeof body["error"] === "string" ? body["error"] : undefined, gateway.origin)
    },
  }
  connection = new Connection(world, onNews(key))
  connection.wish("prices", { type: "oracle" })
  connection.wish("fills", { type: "fills", first: { snapshot_count: 20 } })
  connection.start()
}

part<HTMLFormElement>("key-form").addEventListener("submit", (event) => {
  event.preventDefault()
  const input = part<HTMLInputElement>("key")
  const key = input.value.trim()
  if (key === "") return
  input.value = ""
  part("key-error").textContent = ""
  sessionStorage.setItem(storedKey, key)
  connect(key)
})

part<HTMLFormElement>("follow").addEventListener("submit", (event) => {
  event.preventDefault()
  const slug = part<HTMLInputElement>("market").value.trim()
  part("following").dataset["words"] = slug
  part("follow-words").textContent = ""
  connection?.wish("fills", { type: "fills", filters: { slugs: [slug] }, first: { snapshot_count: 20 } })
})

part("leave").addEventListener("click", () => {
  connection?.stop()
  connection = undefined
  sessionStorage.removeItem(storedKey)
  state("idle", "Not connected")
  enter(false)
  part<HTMLInputElement>("key").focus()
})

setInterval(() => {
  if (!part("board").hidden) show(picture, reconnects, now())
}, 250)

const kept = sessionStorage.getItem(storedKey)
enter(false)
if (kept !== null) connect(kept)
else part<HTMLInputElement>("key").focus()
