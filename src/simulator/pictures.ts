import { seedOf } from "./random.ts"
import type { Simulation } from "./Simulation.ts"
import { json, type Service } from "./wire.ts"

/** Address of a picture: the simulated venue serves it itself. */
export const pictureOf = ({ address }: Simulation, name: string): string => `${address}/images/${name}.svg`

const picturePath = /^\/((?:teams\/)?[a-z0-9][a-z0-9-]{0,40})\.svg$/i

/** A coloured tile with the initials of the name; the same name always has the same colour. */
const draw = (name: string) => {
  const words = name.split(/[/-]/)
  const letters = words.length > 1 ? words.map(([first = ""]) => first).join("") : name
  const hue = seedOf(0, name) % 360
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" rx="12" fill="hsl(${hue} 55% 42%)"/><text x="32" y="41" font-family="sans-serif" font-size="26" fill="#fff" text-anchor="middle">${letters.slice(0, 2).toUpperCase()}</text></svg>`
}

/** Pictures of markets, events, leagues and teams. */
export const pictureService: Service = ({ method, path }) => {
  const name = picturePath.exec(path)?.[1]
  if (name === undefined) return json({ error: "not found" }, 404)
  if (method !== "GET" && method !== "HEAD") return json({ error: "method not allowed" }, 405)
  return {
    status: 200,
    headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" },
    body: draw(name),
  }
}
