import { assert } from "@effect/vitest"
import { gammaService } from "#src/simulator/gamma/gammaService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { WireResponse } from "#src/simulator/wire.ts"
import type { ScaleName } from "#src/simulator/world/scale.ts"
import type { Event, Market } from "#src/simulator/world/Venue.ts"

export const genesis = 1_794_700_800_000
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export type Json = Readonly<Record<string, unknown>>
export type List = ReadonlyArray<Json>

/** A frozen world a minute after its genesis, with its gamma service. */
export const served = (seed: number, scale: ScaleName = "brief") => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale }), () => genesis + minute)
  sim.freeze()
  const service = gammaService(sim)
  const send = (target: string, method = "GET"): WireResponse => {
    const { pathname, searchParams } = new URL(target, "http://gamma")
    return service({ method, path: pathname, query: searchParams, target, headers: {}, body: "" })
  }
  const get = (target: string) => {
    const { status, body } = send(target)
    assert.strictEqual(status, 200, `${target}: ${body.slice(0, 200)}`)
    return JSON.parse(body)
  }
  const { venue } = sim.model.world
  const marketsOf = (event: Event) => event.markets.map((index) => venue.markets[index] as Market)
  const isOpen = (market: Market) => market.plan.resolvesAt > sim.now()
  const visible = () => venue.events.filter(({ plan }) => plan.createdAt <= sim.now())
  const openEvents = () => visible().filter((event) => marketsOf(event).some(isOpen))
  return {
    sim,
    venue,
    send,
    marketsOf,
    isOpen,
    visible,
    openEvents,
    one: (target: string): Json => get(target),
    list: (target: string): List => get(target),
    status: (target: string) => send(target).status,
  }
}

export const defined = <A>(value: A | undefined, what = "value"): A => {
  assert.isDefined(value, what)
  return value as A
}

export const ids = (list: List) => list.map(({ id }) => id)
export const text = (value: unknown): string => {
  assert.isString(value)
  return value as string
}
export const types = (row: Json, fields: Readonly<Record<string, string>>) => {
  for (const [name, type] of Object.entries(fields)) {
    const value = row[name]
    assert.strictEqual(Array.isArray(value) ? "array" : typeof value, type, name)
  }
}

export const postgresTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/
export const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/
