import { clockTime, coinPrice, dollars, duration, sharePrice, whole } from "./format.ts"
import type { Fill, LiveState, Price } from "./liveState.ts"

/** An element of the page, which must exist. */
export const elementById = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as T
}

const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

const element = (tag: string, className = "", text = ""): HTMLElement => {
  const created = document.createElement(tag)
  if (className !== "") created.className = className
  created.textContent = text
  return created
}

/** A feed whose newest price is older than this is late. */
const lateAfter = 10_000
const chart = { width: 100, height: 24 }

const polyline = (history: ReadonlyArray<number>): string => {
  const [low, high] = [Math.min(...history), Math.max(...history)]
  const height = (price: number) => (high === low ? 0.5 : (high - price) / (high - low))
  const step = chart.width / Math.max(1, history.length - 1)
  return history
    .map((price, i) => `${(i * step).toFixed(1)},${(1 + height(price) * (chart.height - 2)).toFixed(1)}`)
    .join(" ")
}

const svg = (tag: string, attributes: Readonly<Record<string, string>>): SVGElement => {
  const created = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  return created
}

const makeCard = (feed: string): HTMLElement => {
  const card = element("li")
  const name = element("p", "name")
  name.append(element("b", "", feed.replace("/USD", "")), element("span", "age"))
  const sparkline = svg("svg", {
    viewBox: `0 0 ${chart.width} ${chart.height}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  })
  sparkline.append(svg("polyline", { points: "" }))
  const price = element("p", "price")
  price.append(element("span", "amount"), " ", element("span", "move"))
  card.append(name, price, sparkline)
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
  elementById("prices").append(...names.flatMap((name) => cards.get(name) ?? []))
  return made
}

const showPrice = (price: Price, order: ReadonlyArray<string>, serverTime: number): void => {
  const card = cardOf(price.feed, order)
  const age = serverTime - price.at
  card.dataset["move"] = String(price.move)
  card.dataset["late"] = age > lateAfter ? "1" : "0"
  card.dataset["at"] = String(price.at)
  for (const target of card.querySelectorAll(".amount")) setText(target, `$${coinPrice(price.price)}`)
  for (const target of card.querySelectorAll(".move")) setText(target, arrows[price.move] ?? "")
  for (const target of card.querySelectorAll(".age")) setText(target, duration(age))
  card.querySelector("polyline")?.setAttribute("points", polyline(price.history))
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

/** Existing rows stay, so that only new ones animate. */
const showFills = (fills: ReadonlyArray<Fill>): void => {
  const body = elementById("fills")
  const existing = new Map([...body.children].map((row) => [(row as HTMLElement).dataset["fill"], row]))
  const ids = new Set(fills.map(({ id }) => id))
  for (const [id, row] of existing) if (id === undefined || !ids.has(id)) row.remove()
  for (const fill of [...fills].reverse()) if (!existing.has(fill.id)) body.prepend(makeRow(fill))
  elementById("fills-empty").hidden = fills.length > 0
}

const showSources = (state: LiveState, now: number): void => {
  const rows = [...state.sources.values()]
    .sort((a, b) => Number(b.isStale) - Number(a.isStale) || a.name.localeCompare(b.name))
    .map(({ name, age: reportedAge, isStale }) => {
      const row = element("li")
      row.dataset["stale"] = isStale ? "1" : "0"
      const age = reportedAge === undefined ? "unknown" : duration(reportedAge)
      row.append(element("span", "", name.replaceAll("_", " ")), element("span", "", isStale ? `stale, ${age}` : age))
      return row
    })
  elementById("sources").replaceChildren(...rows)
  elementById("sources-empty").hidden = rows.length > 0
  const beat = state.heartbeatAt
  setText(elementById("heartbeat"), beat === undefined ? "" : `heartbeat ${duration(now - beat)} ago`)
}

const alarm = (id: string, value: number): void => {
  setText(elementById(id), whole(value))
  const box = elementById(id).parentElement
  if (box !== null) box.dataset["alarm"] = value > 0 ? "1" : "0"
}

const lag = (millis: number | undefined): string => (millis === undefined ? "–" : duration(millis))

export const show = (state: LiveState, reconnects: number, now: number): void => {
  const rate = state.perSecond(now)
  setText(elementById("rate"), rate < 10 ? rate.toFixed(1) : whole(rate))
  setText(elementById("price-lag"), lag(state.priceLag))
  setText(elementById("fill-lag"), lag(state.fillLag))
  setText(elementById("seq"), state.seq === 0 ? "–" : `#${state.seq}`)
  alarm("gaps", state.gaps)
  alarm("reconnects", reconnects)
  const serverTime = state.serverTime(now)
  for (const price of state.prices.values()) showPrice(price, state.feeds, serverTime)
  elementById("prices-empty").hidden = state.prices.size > 0
  showFills(state.fills)
  showSources(state, now)
}

/** Adds a line on top of the journal and drops old ones. */
export const addToJournal = (text: string, now: number): void => {
  const entry = element("li")
  const time = element("time", "", clockTime(now))
  entry.append(time, text)
  const journal = elementById("journal")
  journal.prepend(entry)
  while (journal.children.length > 12) journal.lastElementChild?.remove()
}

export const clearBoard = (): void => {
  cards.clear()
  for (const id of ["prices", "fills", "sources", "journal"]) elementById(id).replaceChildren()
}
