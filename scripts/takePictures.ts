/**
 * Takes pictures of every page, at 1440 and 390 px, light and dark, from a running service on the simulated venue:
 *
 *     WEBHOOKS_ALLOW_INSECURE=true npm start                       (in another terminal)
 *     node scripts/takePictures.ts http://localhost:8080 $KEY .presage/pictures
 *
 * The pictures that the README shows are renewed as well, in `docs/pictures`.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { BrowserContext, Page } from "playwright-core"
import { receiver } from "./examples/changes.ts"
import { ask, type Service } from "./examples/world.ts"
import { launch, untilSettled } from "./pictures/chromium.ts"
import { missingIn, namesIn } from "./pictures/names.ts"
import { consolePages, dashboardPages, docsPages, explorerPages, type Shown } from "./pictures/pages.ts"

const [address = "http://localhost:8080", key = "", folder = ".presage/pictures"] = process.argv.slice(2)
const service: Service = { address: address.replace(/\/$/, ""), key }

const looks = [
  { name: "desk-light", viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { name: "desk-dark", viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  { name: "phone-light", viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { name: "phone-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const

/** What the README shows, at the size of a window. */
const inReadme = new Set([
  "explore-market.desk-light",
  "explore-live.desk-dark",
  "dashboard-usage.desk-light",
  "console-overview.desk-dark",
])
const readmeFolder = new URL("../docs/pictures/", import.meta.url)

/** A webhook with deliveries and a pool with scores, so that no page is empty. */
const fill = async (wallet: string) => {
  const { url, close } = await receiver()
  const body = { url, event_types: ["trade"], filters: { min_amount_usd: 1 }, description: "Trades for the pictures" }
  const { id } = (await ask(service, "POST", "/v3/webhooks", body)).body as { readonly id: string }
  await ask(service, "POST", `/v3/webhooks/${id}/test`)
  await ask(service, "POST", "/v2/copy-pnl/wallets", { addresses: [wallet] })
  const remove = async () => {
    await ask(service, "DELETE", `/v3/webhooks/${id}`)
    await ask(service, "DELETE", "/v2/copy-pnl/wallets", { addresses: [wallet] })
    close()
  }
  return { webhook: id, remove }
}

/** The stored form is WebP, a fraction of PNG. */
const capture = async (page: Page, isWhole: boolean): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: 80,
    captureBeyondViewport: isWhole,
    ...(isWhole ? { clip: { ...(await sizeOf(page)), x: 0, y: 0, scale: 1 } } : {}),
  })
  await session.detach()
  return Buffer.from(data, "base64")
}

const sizeOf = (page: Page) =>
  page.evaluate<{ width: number; height: number }>(
    "({ width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight })",
  )

const take = async (context: BrowserContext, { name, path }: Shown, look: string) => {
  const page = await context.newPage()
  await page.goto(`${service.address}${path}`)
  await untilSettled(page)
  // Streams and charts fill up while one looks.
  await setTimeout(/live|stream|console/.test(name) ? 3_000 : 500)
  writeFileSync(join(folder, `${name}.${look}.webp`), await capture(page, true))
  if (inReadme.has(`${name}.${look}`)) writeFileSync(new URL(`${name}.webp`, readmeFolder), await capture(page, false))
  await page.close()
}

const names = await namesIn(service)
const missing = missingIn(names)
if (missing !== undefined) throw new Error(`there is no ${missing} yet: is ${address} ready, and the key good?`)
const { webhook, remove } = await fill(names.wallet)
const pages = [...explorerPages(names), ...dashboardPages({ webhook }), ...consolePages, ...docsPages]
for (const each of [folder, readmeFolder]) mkdirSync(each, { recursive: true })
const browser = await launch()
try {
  for (const { name, ...options } of looks) {
    const context = await browser.newContext({ ...options, timezoneId: "UTC" })
    await context.addInitScript(`sessionStorage.setItem("presage-key", ${JSON.stringify(key)})`)
    for (const page of pages) await take(context, page, name)
    await context.close()
  }
} finally {
  await browser.close()
  await remove()
}
process.stdout.write(`${pages.length * looks.length} pictures in ${folder}\n`)
