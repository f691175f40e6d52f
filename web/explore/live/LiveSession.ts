import { duration, whole } from "../../shared/format.ts"
import { makeConnection, now } from "../../shared/stream/connect.ts"
import type { Connection, ConnectionEvent, Frame } from "../../shared/stream/connection.ts"
import { refusalAdvice } from "../../shared/stream/refusal.ts"
import { LiveState } from "./liveState.ts"

export interface FillFilters {
  readonly market: string
  readonly side: string
  /** Dollars, as typed. */
  readonly minUsd: string
}

export interface JournalEntry {
  readonly id: number
  readonly at: number
  readonly text: string
}

type Status = { readonly name: "idle" | "waiting" | "open" | "stopped"; readonly text: string }

const maxEntries = 12

/** The subscription to the fills that pass the filters. */
export const requestOf = ({ market, side, minUsd }: FillFilters) => ({
  type: "fills",
  filters: {
    ...(market === "" ? {} : { slugs: [market] }),
    ...(side === "" ? {} : { side }),
    ...(Number(minUsd) > 0 ? { min_usd: Number(minUsd) } : {}),
  },
  first: { snapshot_count: 20 },
})

type StatusEvent = Extract<ConnectionEvent, { readonly kind: "connecting" | "open" | "waiting" | "stopped" }>

const statusOf = (event: StatusEvent): Status => {
  switch (event.kind) {
    case "connecting":
      return {
        name: "waiting",
        text: event.attempt === 1 ? "Connecting…" : `Reconnecting (attempt ${event.attempt})…`,
      }
    case "open":
      return { name: "open", text: "Connected" }
    case "waiting":
      return { name: "waiting", text: `Retrying in ${duration(event.millis)}` }
    case "stopped":
      return { name: "stopped", text: event.text }
  }
}

const entryOf = (event: StatusEvent): string | undefined => {
  if (event.kind === "open") return event.again ? "Reconnected." : "Connected."
  return event.kind === "waiting" ? `${event.text} Retrying in ${duration(event.millis)}.` : undefined
}

/** What the live page shows of one connection. */
export class LiveSession {
  readonly state = new LiveState()
  status: Status = { name: "idle", text: "Not connected" }
  reconnects = 0
  journal: ReadonlyArray<JournalEntry> = []
  /** Why the fills that were asked for do not come. */
  problem: string | undefined
  /** Whether the gateway acknowledged the fills that were asked for. */
  isFollowing = false
  readonly #connection: Connection
  #entries = 0

  #followed = ""

  constructor(key: string, filters: FillFilters) {
    this.#connection = makeConnection(key, (event) => this.#onEvent(event))
    this.#connection.subscribe("prices", { type: "oracle" })
    this.follow(filters)
    this.#connection.start()
  }

  stop(): void {
    this.#connection.stop()
  }

  follow(filters: FillFilters): void {
    const request = requestOf(filters)
    const wanted = JSON.stringify(request)
    if (wanted === this.#followed) return
    this.#followed = wanted
    this.problem = undefined
    this.isFollowing = false
    this.state.clearFills()
    this.#connection.subscribe("fills", request)
  }

  #log(text: string): void {
    this.#entries += 1
    this.journal = [{ id: this.#entries, at: now(), text }, ...this.journal].slice(0, maxEntries)
  }

  #onEvent(event: ConnectionEvent): void {
    if (event.kind === "pinged") this.state.pinged(now())
    else if (event.kind === "frame") this.#onFrame(event.frame)
    else if (event.kind === "refused") {
      if (event.name === "fills") this.problem = refusalAdvice[event.code] ?? event.text
      this.#log(event.text)
    } else {
      if (event.kind === "open" && event.again) this.reconnects += 1
      this.status = statusOf(event)
      const entry = entryOf(event)
      if (entry !== undefined) this.#log(entry)
    }
  }

  #onFrame(frame: Frame): void {
    // Until the gateway acknowledges other fills, those before are still under way.
    if (frame.type !== "event" || this.isFollowing) this.state.receive(frame, now())
    if (frame.type === "subscribed") this.#acknowledged(frame)
    if (frame.type === "caught_up" && Number(frame["replayed"]) > 0)
      this.#log(`${whole(Number(frame["replayed"]))} older events replayed.`)
    if (frame.type === "stale")
      this.#log(`${String(frame["source"])} is stale: ${String(frame["reason"] ?? "it delivers no new data")}.`)
    if (frame.type === "fresh") this.#log(`${String(frame["source"])} is fresh again.`)
    if (frame.type === "lagged")
      this.#log(
        `This browser fell behind: events ${String(frame["from_seq"])} to ${String(frame["to_seq"])} follow with a delay.`,
      )
    if (frame.type === "warning") this.#log(String(frame["message"]))
  }

  #acknowledged(frame: Frame): void {
    const { missed, last_close: closed } = frame as Frame & {
      readonly missed?: { readonly after: number; readonly until: number }
      readonly last_close?: { readonly reason: string }
    }
    const name = frame["subscription_type"] === "oracle" ? "prices" : "fills"
    if (closed !== undefined) this.#log(`The last connection was closed: ${closed.reason}`)
    if (frame["recovered"] === true) this.#log(`Resumed ${name} where they stopped.`)
    if (frame["recovered"] === false) {
      const range = missed === undefined ? "" : ` Events ${missed.after} to ${missed.until} were missed.`
      this.#log(`Could not resume ${name}: ${String(frame["reason"] ?? "too many events were missed")}.${range}`)
    }
    if (name === "fills") this.isFollowing = true
    const warnings = Array.isArray(frame["warnings"]) ? frame["warnings"].map(String) : []
    for (const warning of warnings) {
      if (warning.startsWith("unresolved_slugs"))
        this.problem =
          "No market has this slug, so no fills will come. Check the spelling, or choose one from the list."
      else this.#log(warning)
    }
  }
}
