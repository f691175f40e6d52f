import type { Fill, Picture, Price } from "./picture.ts"
import { clockTime, coinPrice, dollars, duration, sharePrice, whole } from "./words.ts"

/** A part of the page; it is a mistake of ours when it is not there. */
export const part = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as T
}

const put = (element: Element, words: string): void => {
  if (element.textContent !== words) element.textContent = words
}

const element = (tag: string, className = "", words = ""): HTMLElement => {
  const made = document.createElement(tag)
  if (className !== "") made.className = className
  made.textContent = words
  return made
}

/** A feed whose newest price is older than this is late. */
const lateAfter = 10_000
const chart = { width: 100, height: 24 }

const line = (history: ReadonlyArray<number>): string => {
  const [low, high] = [Math.min(...history), Math.max(...history)]
  const height = (price: number) => (high === low ? 0.5 : (high - price) / (high - low))
  const step = chart.width / Math.max(1, history.length - 1)
  return history
    .map((price, i) => `${(i * step).toFixed(1)},${(1 + height(price) * (chart.height - 2)).toFixed(1)}`)
    .join(" ")
}

const svg = (tag: string, attributes: Readonly<Record<string, string>>): SVGElement => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}

const makeCard = (feed: string): HTMLElement => {
  const card = element("li")
  const name = element("p", "name")
  name.append(element("b", "", feed.replace("/USD", "")), element("span", "age"))
  const picture = svg("svg", {
    viewBox: `0 0 ${chart.width} ${chart.height}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  })
  picture.append(svg("polyline", { points: "" }))
  const price = element("p", "price")
  price.append(element("span", "amount"), " ", element("span", "move"))
  card.append(name, price, picture)
  return card
}

const cards = new Map<string, HTMLElement>()

const arrows: Readonly<Record<string, string>> = { "1": "▲", "-1": "▼" }

const cardOf = (feed: string, order: ReadonlyArray<string>): HTMLElement => {
  const known = cards.get(feed)
  if (known !== undefined) return known
  const made = makeCard(feed)
  cards.set(feed, made)
  const names = [...cards.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b))
  part("prices").append(...names.flatMap((name) => cards.get(name) ?? []))
  return made
}

const showPrice = (price: Price, order: ReadonlyArray<string>, serverTime: number): void => {
  const card = cardOf(price.feed, order)
  const age = serverTime - price.at
  card.dataset["move"] = String(price.move)
  card.dataset["late"] = age > lateAfter ? "1" : "0"
  card.dataset["at"] = String(price.at)
  for (const there of card.querySelectorAll(".amount")) put(there, `$${coinPrice(price.price)}`)
  for (const there of card.querySelectorAll(".move")) put(there, arrows[price.move] ?? "")
  for (const there of card.querySelectorAll(".age")) put(there, duration(age))
  card.querySelector("polyline")?.setAttribute("points", line(price.history))
}

const makeRow = (fill: Fill): HTMLElement => {
  const row = element("tr")
  row.dataset["fill"] = fill.id
  const market = element("td", "market", fill.title)
  if (fill.outcome !== "") market.append(" ", element("i", "", fill.outcome))
  if (fill.isPending) market.append(" ", element("i", "", "(pending)"))
  const side = element("td", "side", fill.side === "BUY" ? "Buy" : "Sell")
  side.dataset["side"] = fill.side
  row.append(
    element("td", "time", clockTime(fill.at)),
    market,
    side,
    element("td", "figure", sharePrice(fill.price)),
    element("td", "figure", dollars(fill.price * fill.shares)),
  )
  return row
}

/** Rows that are there already stay as they are, so that only new ones are seen to arrive. */
const showFills = (fills: ReadonlyArray<Fill>): void => {
  const body = part("fills")
  const there = new Map([...body.children].map((row) => [(row as HTMLElement).dataset["fill"], row]))
  const wanted = new Set(fills.map(({ id }) => id))
  for (const [id, row] of there) if (id === undefined || !wanted.has(id)) row.remove()
  for (const fill of [...fills].reverse()) if (!there.has(fill.id)) body.prepend(makeRow(fill))
  part("fills-empty").hidden = fills.length > 0
}

const showSources = (picture: Picture, now: number): void => {
  const rows = [...picture.sources.values()]
    .sort((a, b) => Number(b.isStale) - Number(a.isStale) || a.name.localeCompare(b.name))
    .map(({ name, age: told, isStale }) => {
      const row = element("li")
      row.dataset["stale"] = isStale ? "1" : "0"
      const age = told === undefined ? "unknown" : duration(told)
      row.append(element("span", "", name.replaceAll("_", " ")), element("span", "", isStale ? `stale, ${age}` : age))
      return row
    })
  part("sources").replaceChildren(...rows)
  part("sources-empty").hidden = rows.length > 0
  const beat = picture.heartbeatAt
  put(part("heartbeat"), beat === undefined ? "" : `heartbeat ${duration(now - beat)} ago`)
}

const alarm = (id: string, value: number): void => {
  put(part(id), whole(value))
  const box = part(id).parentElement
  if (box !== null) box.dataset["alarm"] = value > 0 ? "1" : "0"
}

const lag = (millis: number | undefined): string => (millis === undefined ? "–" : duration(millis))

export const show = (picture: Picture, reconnects: number, now: number): void => {
  const rate = picture.perSecond(now)
  put(part("rate"), rate < 10 ? rate.toFixed(1) : whole(rate))
  put(part("price-lag"), lag(picture.priceLag))
  put(part("fill-lag"), lag(picture.fillLag))
  put(part("seq"), picture.seq === 0 ? "–" : `#${picture.seq}`)
  alarm("gaps", picture.gaps)
  alarm("reconnects", reconnects)
  const serverTime = picture.serverTime(now)
  for (const price of picture.prices.values()) showPrice(price, picture.feeds, serverTime)
  part("prices-empty").hidden = picture.prices.size > 0
  showFills(picture.fills)
  showSources(picture, now)
}

/** A new line on top of what happened; the newest are kept. */
export const tell = (words: string, now: number): void => {
  const entry = element("li")
  const time = element("time", "", clockTime(now))
  entry.append(time, words)
  const journal = part("journal")
  journal.prepend(entry)
  while (journal.children.length > 12) journal.lastElementChild?.remove()
}

export const clearBoard = (): void => {
  cards.clear()
  for (const id of ["prices", "fills", "sources", "journal"]) part(id).replaceChildren()
}
