import { useEffect, useRef, useState } from "preact/hooks"
import { key } from "../shared/key.ts"
import { makeConnection } from "../shared/stream/connect.ts"
import type { Connection, Frame } from "../shared/stream/connection.ts"

export interface Received {
  readonly id: number
  readonly at: number
  readonly frame: Frame
}

export interface Subscription {
  readonly type: string
  readonly filters: Readonly<Record<string, unknown>>
  readonly fields: Readonly<Record<string, unknown>>
  readonly first: Readonly<Record<string, unknown>>
}

/** Older frames are dropped, so that the page does not grow. */
const mostFrames = 200
const drawMillis = 250

interface State {
  readonly isRunning: boolean
  readonly status: string
  readonly frames: ReadonlyArray<Received>
  readonly total: number
}

const idle: State = { isRunning: false, status: "Not connected.", frames: [], total: 0 }

/** A stream and its newest frames, newest first. They are drawn a few times a second, however many come. */
export const useFrames = () => {
  const [state, setState] = useState<State>(idle)
  const connection = useRef<Connection>(undefined)
  const waiting = useRef<{ frames: Array<Received>; total: number; status: string }>({
    frames: [],
    total: 0,
    status: "",
  })

  const say = (status: string) => {
    waiting.current.status = status
    setState((before) => ({ ...before, status }))
  }
  const stop = () => {
    connection.current?.stop()
    connection.current = undefined
    setState((before) => ({ ...before, isRunning: false, status: "Stopped." }))
  }
  const start = (subscription: Subscription) => {
    connection.current?.stop()
    waiting.current = { frames: [], total: 0, status: "" }
    setState({ ...idle, isRunning: true, status: "Connecting…" })
    const opened = makeConnection(key.value, (event) => {
      if (connection.current !== opened) return
      if (event.kind === "open") say("Connected.")
      else if (event.kind === "waiting") say(`${event.text} Trying again in ${Math.ceil(event.millis / 1000)} s.`)
      else if (event.kind === "refused") say(`Refused: ${event.text}`)
      else if (event.kind === "stopped") {
        stop()
        say(event.text)
      } else if (event.kind === "frame" && event.frame.type !== "pong") {
        const { current } = waiting
        current.total += 1
        current.frames.unshift({
          id: current.total,
          at: performance.timeOrigin + performance.now(),
          frame: event.frame,
        })
        current.frames.length = Math.min(current.frames.length, mostFrames)
      }
    })
    connection.current = opened
    opened.subscribe("playground", subscription)
    opened.start()
  }

  useEffect(() => {
    const timer = setInterval(
      () =>
        setState((before) =>
          before.total === waiting.current.total
            ? before
            : { ...before, frames: [...waiting.current.frames], total: waiting.current.total },
        ),
      drawMillis,
    )
    return () => {
      clearInterval(timer)
      connection.current?.stop()
      connection.current = undefined
    }
  }, [])
  const clear = () => {
    waiting.current = { ...waiting.current, frames: [], total: 0 }
    setState((before) => ({ ...before, frames: [], total: 0 }))
  }
  return { ...state, start, stop, clear }
}
