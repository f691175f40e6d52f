import { Connection, type ConnectionEvent, type Frame, type Socket } from "./connection.ts"
import { duration, refusalAdvice, refusalReason, whole } from "./format.ts"
import { LiveState } from "./liveState.ts"
import { addToJournal, clearBoard, elementById, show } from "./render.ts"

const storedKey = "presage-key"
const now = () => performance.timeOrigin + performance.now()

/** URL of the gateway; a page loaded over TLS may only open sockets over TLS. */
const gateway = new URL(document.body.dataset["gateway"] ?? "ws://localhost:8081/ws")
if (location.protocol === "https:" && document.body.dataset["ours"] === "1") gateway.protocol = "wss:"

const getJson = async (
  path: string,
  key: string,
): Promise<{ status: number | undefined; body: Record<string, unknown> }> => {
  try {
    const response = await fetch(path, { headers: { "x-api-key": key }, cache: "no-store" })
    return { status: response.status, body: await response.json().catch(() => ({})) }
  } catch {
    return { status: undefined, body: {} }
  }
}

let connection: Connection | undefined
let liveState = new LiveState()
let reconnects = 0

const log = (text: string) => addToJournal(text, now())

const showState = (name: "idle" | "waiting" | "open" | "stopped", text: string) => {
  elementById("state").dataset["state"] = name
  if (elementById("state-words").textContent !== text) elementById("state-words").textContent = text
}

const showBoard = (isShown: boolean) => {
  elementById("entrance").hidden = isShown
  elementById("board").hidden = !isShown
  elementById("leave").hidden = !isShown
}

const offerMarkets = async (key: string, text: string) => {
  elementById("follow-words").textContent = text
  elementById("follow").hidden = false
  const { body } = await getJson("/v1/crypto/active", key)
  const markets = Array.isArray(body["markets"]) ? body["markets"] : []
  elementById("markets").replaceChildren(
    ...markets.map(({ slug, title }: Readonly<Record<string, string>>) => new Option(title, slug)),
  )
  const [first] = markets
  const input = elementById<HTMLInputElement>("market")
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
  if (stream === "fills") elementById("following").textContent = elementById("following").dataset["words"] ?? ""
  if (closed !== undefined) log(`The last connection was closed: ${closed.reason}`)
  if (recovered === true) log(`Resumed ${stream === "oracle" ? "prices" : "fills"} where they stopped.`)
  if (recovered === false) {
    const range = missed === undefined ? "" : ` Events ${missed.after} to ${missed.until} were missed.`
    log(
      `Could not resume ${stream === "oracle" ? "prices" : "fills"}: ${String(reason ?? "too many events were missed")}.${range}`,
    )
  }
  if (Array.isArray(frame["warnings"]))
    for (const warning of frame["warnings"]) log(String(warning?.message ?? warning))
}

const onFrame = (frame: Frame) => {
  liveState.receive(frame, now())
  if (frame.type === "subscribed") acknowledged(frame)
  if (frame.type === "caught_up" && Number(frame["replayed"]) > 0)
    log(`${whole(Number(frame["replayed"]))} older events replayed.`)
  if (frame.type === "stale")
    log(`${String(frame["source"])} is stale: ${String(frame["reason"] ?? "it delivers no new data")}.`)
  if (frame.type === "fresh") log(`${String(frame["source"])} is fresh again.`)
  if (frame.type === "lagged")
    log(
      `This browser fell behind: events ${String(frame["from_seq"])} to ${String(frame["to_seq"])} follow with a delay.`,
    )
  if (frame.type === "warning") log(String(frame["message"]))
}

const onStopped = (text: string) => {
  showState("stopped", "Not connected")
  sessionStorage.removeItem(storedKey)
  showBoard(false)
  elementById("key-error").textContent = text
  elementById<HTMLInputElement>("key").focus()
}

const onEvent = (key: string) => (event: ConnectionEvent) => {
  switch (event.kind) {
    case "connecting":
      return showState("waiting", event.attempt === 1 ? "Connecting…" : `Reconnecting (attempt ${event.attempt})…`)
    case "open":
      if (event.again) reconnects += 1
      showState("open", "Connected")
      showBoard(true)
      return log(event.again ? "Reconnected." : "Connected.")
    case "waiting":
      showState("waiting", `Retrying in ${duration(event.millis)}`)
      showBoard(true)
      return log(`${event.text} Retrying in ${duration(event.millis)}.`)
    case "refused": {
      log(event.text)
      const advice = refusalAdvice[event.code]
      if (event.name === "fills") void offerMarkets(key, advice ?? event.text)
      return
    }
    case "stopped":
      return onStopped(event.text)
    case "pinged":
      return liveState.pinged(now())
    case "frame":
      return onFrame(event.frame)
  }
}

const connect = (key: string) => {
  connection?.stop()
  clearBoard()
  liveState = new LiveState()
  reconnects = 0
  elementById("follow").hidden = true
  elementById("following").dataset["words"] = "every market"
  const environment = {
    open: () => new WebSocket(`${gateway.href}?key=${encodeURIComponent(key)}`) as Socket,
    after: (millis: number, run: () => void) => {
      const timer = setTimeout(run, millis)
      return () => clearTimeout(timer)
    },
    now,
    random: Math.random,
    refusalReason: async () => {
      const { status, body } = await getJson("/v1/status", key)
      return refusalReason(status, typeof body["error"] === "string" ? body["error"] : undefined, gateway.origin)
    },
  }
  connection = new Connection(environment, onEvent(key))
  connection.subscribe("prices", { type: "oracle" })
  connection.subscribe("fills", { type: "fills", first: { snapshot_count: 20 } })
  connection.start()
}

elementById<HTMLFormElement>("key-form").addEventListener("submit", (event) => {
  event.preventDefault()
  const input = elementById<HTMLInputElement>("key")
  const key = input.value.trim()
  if (key === "") return
  input.value = ""
  elementById("key-error").textContent = ""
  sessionStorage.setItem(storedKey, key)
  connect(key)
})

elementById<HTMLFormElement>("follow").addEventListener("submit", (event) => {
  event.preventDefault()
  const slug = elementById<HTMLInputElement>("market").value.trim()
  elementById("following").dataset["words"] = slug
  elementById("follow-words").textContent = ""
  connection?.subscribe("fills", { type: "fills", filters: { slugs: [slug] }, first: { snapshot_count: 20 } })
})

elementById("leave").addEventListener("click", () => {
  connection?.stop()
  connection = undefined
  sessionStorage.removeItem(storedKey)
  showState("idle", "Not connected")
  showBoard(false)
  elementById<HTMLInputElement>("key").focus()
})

setInterval(() => {
  if (!elementById("board").hidden) show(liveState, reconnects, now())
}, 250)

const storedKeyValue = sessionStorage.getItem(storedKey)
showBoard(false)
if (storedKeyValue !== null) connect(storedKeyValue)
else elementById<HTMLInputElement>("key").focus()
