import { hash } from "../random.ts"

interface Leaf {
  readonly holder: Record<string, unknown>
  readonly key: string
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const leavesOf = (holder: Record<string, unknown>, found: Array<Leaf> = []): ReadonlyArray<Leaf> => {
  for (const key of Object.keys(holder)) {
    const value = holder[key]
    if (isHolder(value) && Object.keys(value).length > 0) leavesOf(value, found)
    else if (value !== null) found.push({ holder, key })
  }
  return found
}

const swapped = (value: unknown): unknown => {
  if (typeof value === "string") return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : null
  if (isHolder(value)) return Array.isArray(value) ? {} : []
  return String(value)
}

/** Text as a number, numbers as text, lists as objects, at about every fourth place and at one at least. */
export const withWrongTypes = (body: string, roll: number): string => {
  const root: Record<string, unknown> = {}
  try {
    root["value"] = JSON.parse(body)
  } catch {
    return body
  }
  const leaves = leavesOf(root)
  const always = roll % Math.max(1, leaves.length)
  leaves.forEach(({ holder, key }, place) => {
    if (place === always || hash(roll, place) % 4 === 0) holder[key] = swapped(holder[key])
  })
  return JSON.stringify(root["value"])
}
